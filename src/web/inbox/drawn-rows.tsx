import { type ContainerNode, render } from 'preact';
import { isRelative, msOf, times } from '../format/time.ts';
import { EventRow } from './event-row.tsx';
import type { ListedEvent } from './listed-events.ts';

/** Rows of lists of thousands. */

export interface Row {
  /** Repeats, newest first, or one event. */
  readonly events: readonly ListedEvent[];
  readonly isOpen: boolean;
}
/** The only data kept per row: Preact's takes several times an event's memory. */
export interface DrawnRow extends Row {
  readonly item: Element;
}

interface Drawing {
  readonly now: number;
  readonly toggle: (row: Row) => void;
}

/** Redraws only rows that differ. */
export function changed(
  list: Element,
  before: readonly DrawnRow[],
  rows: readonly Row[],
  drawing: Drawing,
): readonly DrawnRow[] {
  if (before.length === rows.length && before.every((row, nth) => isSame(row, rows[nth]))) return before;
  const gone = new Map(before.map((row) => [idOf(row), row]));
  const after = rows.map((row) => {
    const known = gone.get(idOf(row));
    gone.delete(idOf(row));
    return known && isSame(known, row) ? known : { ...row, item: drawn(row, drawing, known?.item) };
  });
  for (const { item } of gone.values()) item.remove();
  let next = list.firstElementChild;
  for (const { item } of after) {
    if (item === next) next = next.nextElementSibling;
    else list.insertBefore(item, next);
  }
  return after;
}

/** Updates "3 min ago" in its rows. */
export function tick(rows: readonly DrawnRow[], before: number, now: number): void {
  for (const {
    events: [event],
    item,
  } of rows) {
    const atMs = msOf(event?.received_at ?? '');
    const text = isRelative(atMs, before) && item.querySelector('time')?.firstChild;
    // A new text node would be a list change.
    if (text) text.nodeValue = times.short(atMs, now);
  }
}

export function idOf({ events: [event] }: Row): string {
  return event?.public_id ?? '';
}

function isSame(a: Row, b: Row | undefined): boolean {
  const { events, isOpen } = b ?? a;
  return (
    a.isOpen === isOpen && a.events.length === events.length && a.events.every((event, nth) => event === events[nth])
  );
}

/** Draws a row without hooks. `before`: its element, changed in place to keep the focus. */
function drawn(row: Row, { now, toggle }: Drawing, before?: Element): Element {
  const place = before === undefined ? document.createElement('div') : placeOf(before);
  render(<EventRow {...row} now={now} toggle={() => toggle(row)} />, place);
  return place.firstChild as Element;
}

/** Returns a Preact parent of the element alone, which is neither inserted nor removed. */
function placeOf(element: Element): ContainerNode {
  return { nodeType: 1, firstChild: element, childNodes: [element] } as unknown as ContainerNode;
}
