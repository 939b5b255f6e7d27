import { Box, render, Text } from 'ink';
import { createElement, type ReactElement } from 'react';
import { type EventRecord, platformOf, type Route } from '../../push.ts';
import type { Push } from '../../sandbox/journal.ts';
import { DEVICE_NAMES } from '../../sandbox/names.ts';
import { readPush } from '../output/describe-push.ts';
import { printable } from '../output/printable.ts';
import type { DemoOutput } from './run.ts';

const SHOWN = 8;

/** Writes lines once, so they can be copied. From the first event on, redraws the view below with every push. */
export function liveOutput({ stdout }: NodeJS.Process): DemoOutput & { end(): void } {
  let event: EventRecord | null = null;
  let arrivals: readonly Arrival[] = [];
  let total = 0;
  let view: ReturnType<typeof render> | null = null;

  function draw(): void {
    const node = createElement(DemoView, { event, arrivals, total });
    // Ink takes the variable CI for a sign that there is no terminal.
    if (view === null) view = render(node, { stdout, interactive: true, exitOnCtrlC: false, patchConsole: false });
    else view.rerender(node);
  }

  return {
    say: (line) => void stdout.write(`${printable(line)}\n`),
    posted(record) {
      event = record;
      draw();
    },
    arrived(push: Push) {
      total += 1;
      const arrival = { number: push.number, route: push.endpoint, at: new Date(push.receivedAtMs), ...readPush(push) };
      arrivals = [...arrivals, arrival].slice(-SHOWN);
      if (view !== null) draw();
    },
    end: () => view?.unmount(),
  };
}

export interface Arrival {
  readonly number: number;
  readonly route: Route;
  readonly at: Date;
  readonly eventId: string;
  readonly title: string;
  readonly body: string;
}

export interface DemoViewProps {
  readonly event: EventRecord | null;
  /** The newest ones, oldest first. */
  readonly arrivals: readonly Arrival[];
  readonly total: number;
}

/** Renders the demo's event, and its pushes as they arrive. */
export function DemoView({ event, arrivals, total }: DemoViewProps): ReactElement {
  return (
    <Box flexDirection="column">
      {event && (
        <Text>
          Posted <Text bold>{event.public_id}</Text> to {event.target_device_count} devices
        </Text>
      )}
      {arrivals.map((arrival) => (
        <ArrivalLine key={arrival.number} arrival={arrival} />
      ))}
      <Text dimColor>
        {total} {total === 1 ? 'push' : 'pushes'} arrived
      </Text>
    </Box>
  );
}

function ArrivalLine({ arrival: { route, at, eventId, title } }: { readonly arrival: Arrival }): ReactElement {
  return (
    <Text wrap="truncate">
      <Text color="green">✓</Text> {at.toTimeString().slice(0, 8)} {DEVICE_NAMES[platformOf(route)].padEnd(6)}{' '}
      <Text bold>{title}</Text> <Text dimColor>{eventId}</Text>
    </Text>
  );
}
