import type { Event } from '../api/events.ts';
import { common } from '../texts/common.ts';
import { LevelMark } from './level-mark.tsx';

/** What an event says, without its title: how grave it is, and its text. `noText`: what stands where it has none. */
export function EventHead({ event, noText }: { readonly event: Said; readonly noText: string }) {
  return (
    <>
      <p class="event-meta">
        <LevelMark level={event.level} />
        {common.levels[event.level]}
        {event.delivery_urgency === 'time_sensitive' && <span class="urgent">{common.urgent}</span>}
      </p>
      <p class="prose">{event.description ?? noText}</p>
    </>
  );
}

type Said = Pick<Event, 'level' | 'delivery_urgency' | 'description'>;
