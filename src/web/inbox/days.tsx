import { type ContainerNode, render } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { LevelMark } from '../components/level-mark.tsx';
import { MomentAt } from '../components/moment.tsx';
import { whole } from '../format/numbers.ts';
import { isRelative, msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { inbox as texts } from '../texts/inbox.ts';
import { workspaceLabel } from '../workspace-names.ts';
import { endOf, type ListedEvent, repeats, runsOf } from './listed-events.ts';

interface Props {
  readonly events: readonly ListedEvent[];
  readonly now: number;
}
type Toggle = (row: Row) => void;

function Rows({ events, now }: Props) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const oldest = useRef(new Set<string>());
  const same = useSame(events);
  const runs = useMemo(() => {
    const rows = repeats(same).flatMap((group) => rowsOf(group, unfolded));
    return runsOf(rows, idOf, oldest.current);
  }, [same, unfolded]);
  const toggle: Toggle = ({ events: repeated, isOpen }) =>
    setUnfolded((before) => {
      const others = [...before].filter((id) => repeated.every(({ public_id }) => public_id !== id));
      return new Set(isOpen ? others : [...others, ...repeated.map(({ public_id }) => public_id)]);
    });
  return (
    // Browsers count the items of a list through what is between, but an <ul> may have nothing there.
    // biome-ignore lint/a11y/useSemanticElements: for the runs
    <div class="list" role="list">
      {runs.map((run) => (
        <Run key={run.at(-1)?.events[0]?.public_id} rows={run} now={now} toggle={toggle} />
      ))}
    </div>
  );
}

/** Returns the same array for the same elements. */
function useSame<T>(all: readonly T[]): readonly T[] {
  const last = useRef(all);
  if (all.length !== last.current.length || all.some((value, nth) => value !== last.current[nth])) last.current = all;
  return last.current;
}

/** Returns a group's rows, including repeats if open. It stays open as events join. */
function rowsOf(group: readonly ListedEvent[], unfolded: ReadonlySet<string>): readonly Row[] {
  const isOpen = group.length > 1 && group.some(({ public_id }) => unfolded.has(public_id));
  const others = isOpen ? group.slice(1) : [];
  return [{ events: group, isOpen }, ...others.map((event) => ({ events: [event], isOpen: false }))];
}

/** Rows that move together. */
function Run({ rows, now, toggle }: { readonly rows: readonly Row[]; readonly now: number; readonly toggle: Toggle }) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<readonly DrawnRow[]>([]);
  const tickedAt = useRef(now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: time alone changes no row but what `tick` does
  useLayoutEffect(() => {
    if (place.current) drawn.current = changed(place.current, drawn.current, rows, { now, toggle });
  }, [rows]);
  useLayoutEffect(() => {
    tick(drawn.current, tickedAt.current, now);
    tickedAt.current = now;
  }, [now]);
  return <div class="run" ref={place} />;
}

export function Days({ events }: { readonly events: readonly ListedEvent[] }) {
  const now = useShared(nowMs);
  const days = new Map<string, ListedEvent[]>();
  for (const event of events) {
    const date = times.date(msOf(event.received_at));
    const ofDay = days.get(date);
    if (ofDay) ofDay.push(event);
    else days.set(date, [event]);
  }
  return (
    <>
      {[...days].map(([date, ofDay]) => {
        const day = times.day(msOf(ofDay[0]?.received_at ?? ''), now);
        return (
          <section key={date} aria-label={day}>
            <h2 class="group">{day}</h2>
            <Rows events={ofDay} now={now} />
          </section>
        );
      })}
    </>
  );
}

/** Rows of lists of thousands. */

interface Row {
  /** Repeats, newest first, or one event. */
  readonly events: readonly ListedEvent[];
  readonly isOpen: boolean;
}
/** The only data kept per row: Preact's takes several times an event's memory. */
interface DrawnRow extends Row {
  readonly item: Element;
}

interface Drawing {
  readonly now: number;
  readonly toggle: (row: Row) => void;
}

/** Redraws only rows that differ. */
function changed(
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
function tick(rows: readonly DrawnRow[], before: number, now: number): void {
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

function idOf({ events: [event] }: Row): string {
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

interface changedProps {
  /** The event, then its repeats in the same row. */
  readonly events: readonly ListedEvent[];
  /** Whether repeats also have own rows. */
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly now: number;
}

function EventRow({ events, isOpen, toggle, now }: changedProps) {
  const [event] = events;
  if (event === undefined) return null;
  const count = events.length;
  const isUnread = events.some(({ unread }) => unread);
  const end = endOf(event);
  const isUrgent = event.delivery_urgency === 'time_sensitive' && end === null;
  const classes = ['event', isUnread && 'event-unread', isUrgent && 'event-urgent', end !== null && 'event-over'];
  const workspace = workspaceLabel(event.workspace);
  return (
    // biome-ignore lint/a11y/useSemanticElements: its list is no <ul>
    <div role="listitem" class={classes.filter(Boolean).join(' ')}>
      <LevelMark level={event.level} />
      <a class="event-title" dir="auto" href={`/events/${event.public_id}`}>
        {isUnread && (
          <span class="said" dir="ltr">
            {common.unread}{' '}
          </span>
        )}
        {event.title}
      </a>
      <MomentAt at={event.received_at} now={now} />
      {event.description !== null && (
        <p class="event-text" dir="auto">
          {event.description}
        </p>
      )}
      <p class="event-meta">
        {count > 1 && (
          <button
            type="button"
            class="repeats num"
            aria-expanded={isOpen}
            aria-label={texts.repeats(count)}
            onClick={toggle}
          >
            × {whole(count)}
          </button>
        )}
        <span>{event.channel_name ?? event.channel ?? common.channelGone}</span>
        {workspace !== null && <bdi>{workspace}</bdi>}
        {end !== null && <span>{texts.ends[end]}</span>}
        {isUrgent && <span class="urgent">{common.urgent}</span>}
        {event.event_type !== null && <span class="mono">{event.event_type}</span>}
      </p>
    </div>
  );
}
