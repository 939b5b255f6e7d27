import { nowMs } from '../clock.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import type { ListedEvent } from './listed-events.ts';
import { Rows } from './rows.tsx';

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
