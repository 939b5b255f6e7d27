import { LevelMark } from '../components/level-mark.tsx';
import { MomentAt } from '../components/moment.tsx';
import { whole } from '../format/numbers.ts';
import { common } from '../texts/common.ts';
import { inbox as texts } from '../texts/inbox.ts';
import { workspaceLabel } from '../workspace-names.ts';
import { endOf, type ListedEvent } from './listed-events.ts';

interface Props {
  /** The event, then its repeats in the same row. */
  readonly events: readonly ListedEvent[];
  /** Whether repeats also have own rows. */
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly now: number;
}

export function EventRow({ events, isOpen, toggle, now }: Props) {
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
