import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { type EventRecord, platformOf, type Route } from '../../push.ts';
import { DEVICE_NAMES } from '../../sandbox/names.ts';

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
