import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { InboxEvent } from '../api/events.ts';
import { nowMs } from '../components/moment.tsx';
import { whole } from '../format/numbers.ts';
import { msOf, times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { texts } from '../texts/inbox.ts';
import { EventRow } from './event-row.tsx';
import { repeats } from './repeats.ts';

/** Made once for each event, so that a list of thousands that gets another one draws that one alone. */
const rows = new WeakMap<InboxEvent, VNode>();

function rowOf([event, ...others]: readonly InboxEvent[]): VNode | null {
  if (event === undefined) return null;
  if (others.length > 0) return <RepeatedRow key={event.public_id} newest={event} others={others} />;
  const made = rows.get(event) ?? <EventRow key={event.public_id} event={event} />;
  rows.set(event, made);
  return made;
}

/** Events by the days on which they came, what repeats in one row. */
export function Days({ events }: { readonly events: readonly InboxEvent[] }) {
  const now = useShared(nowMs);
  const days = new Map<string, InboxEvent[]>();
  for (const event of events) {
    const day = times.day(msOf(event.received_at), now);
    const ofDay = days.get(day);
    if (ofDay) ofDay.push(event);
    else days.set(day, [event]);
  }
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <h2 class="group">{day}</h2>
          <ul class="list">{repeats(ofDay).map(rowOf)}</ul>
        </section>
      ))}
    </>
  );
}

interface Props {
  readonly newest: InboxEvent;
  readonly others: readonly InboxEvent[];
}

/** An event that repeats those of others: one row, which shows them where one asks. */
function RepeatedRow({ newest, others }: Props) {
  const [isOpen, setOpen] = useState(false);
  const count = others.length + 1;
  return (
    <>
      <EventRow event={newest} isUnread={[newest, ...others].some(({ unread }) => unread)}>
        <button
          type="button"
          class="repeats num"
          aria-expanded={isOpen}
          aria-label={texts.repeats(count)}
          onClick={() => setOpen(!isOpen)}
        >
          × {whole(count)}
        </button>
      </EventRow>
      {isOpen && others.map((event) => <EventRow key={event.public_id} event={event} />)}
    </>
  );
}
