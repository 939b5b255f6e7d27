import type { InboxEvent } from '../api/events.ts';
import { nowMs } from '../components/moment.tsx';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { EventRow } from './event-row.tsx';

/** Events by the days on which they came. */
export function Days({ events }: { readonly events: readonly InboxEvent[] }) {
  const now = useShared(nowMs);
  const days = new Map<string, InboxEvent[]>();
  for (const event of events) {
    const day = times.day(msOf(event.received_at), now);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <h2 class="group">{day}</h2>
          <ul class="list">
            {ofDay.map((event) => (
              <EventRow key={event.public_id} event={event} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
