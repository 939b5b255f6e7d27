import type { ComponentChildren } from 'preact';
import type { InboxEvent } from '../api/events.ts';
import { LevelMark } from '../components/level-mark.tsx';
import { Moment } from '../components/moment.tsx';
import { common } from '../texts/common.ts';

interface Props {
  readonly event: InboxEvent;
  /** Of a row for several: whether any is unread. */
  readonly isUnread?: boolean;
  readonly children?: ComponentChildren;
}

/** An event in a list. The whole row leads to its page. */
export function EventRow({ event, isUnread = event.unread, children }: Props) {
  const isUrgent = event.delivery_urgency === 'time_sensitive';
  return (
    <li class={`event${isUnread ? ' event-unread' : ''}${isUrgent ? ' event-urgent' : ''}`}>
      <LevelMark level={event.level} />
      <a class="event-title" dir="auto" href={`/events/${event.public_id}`}>
        {isUnread && (
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
        {children}
        <span>{event.channel_name ?? event.channel ?? common.channelGone}</span>
        {isUrgent && <span class="urgent">{common.urgent}</span>}
        {event.event_type !== null && <span class="mono">{event.event_type}</span>}
      </p>
    </li>
  );
}
