import { render } from 'ink';
import { createElement } from 'react';
import type { EventRecord } from '../../push.ts';
import type { Push } from '../../sandbox/journal.ts';
import { readPush } from '../output/describe-push.ts';
import { printable } from '../output/printable.ts';
import { type Arrival, DemoView } from '../views/demo-view.tsx';
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
