import type { InboxEvent } from '../api/events.ts';
import { LevelMark } from '../components/level-mark.tsx';
import { Moment } from '../components/moment.tsx';
import { common } from '../texts/common.ts';

/** An event in a list. The whole row leads to its page. */
export function EventRow({ event }: { readonly event: InboxEvent }) {
  const isUrgent = event.delivery_urgency === 'time_sensitive';
  return (
    <li class={`event${event.unread ? ' event-unread' : ''}${isUrgent ? ' event-urgent' : ''}`}>
      <LevelMark level={event.level} />
      <a class="event-title" dir="auto" href={`/events/${event.public_id}`}>
        {event.unread && (
          <span class="said" dir="ltr">
            {common.unread}{' '}
          </span>
        )}
        {event.title}
      </a>
      <Moment at={event.received_at} />
      {event.description !== null && (
        <p class="event-text" dir="auto">
          {event.description}
        </p>
      )}
      <p class="event-meta">
        <span>{event.channel ?? common.channelGone}</span>
        {isUrgent && <span class="urgent">{common.urgent}</span>}
        {event.event_type !== null && <span class="mono">{event.event_type}</span>}
      </p>
    </li>
  );
}
