import { useState } from 'preact/hooks';
import type { InboxEvent } from '../api/events.ts';
import { whole } from '../format/numbers.ts';
import { texts } from '../texts/inbox.ts';
import { EventRow } from './event-row.tsx';

interface Props {
  readonly newest: InboxEvent;
  readonly others: readonly InboxEvent[];
}

/** An event that repeats those of others: one row, which shows them where one asks. */
export function RepeatedRow({ newest, others }: Props) {
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
