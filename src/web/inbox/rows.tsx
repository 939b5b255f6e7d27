import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { changed, type DrawnRow, idOf, type Row, tick } from './drawn-rows.tsx';
import { type ListedEvent, repeats, runsOf } from './listed-events.ts';

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
