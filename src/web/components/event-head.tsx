import type { Schema } from '../api/client.ts';
import type { Event } from '../api/events.ts';
import { linkedPieces } from '../format/links.ts';
import { happenedAt, msOf, times } from '../format/time.ts';
import { common } from '../texts/common.ts';
import { quiet as quietTexts, reasons, eventHead as texts } from '../texts/inbox.ts';
import { LevelMark } from './level-mark.tsx';
import { Moment } from './moment.tsx';

/** Shows an event's level and text, and when it happened if that differs from its receipt. */
export function EventHead({ event }: { readonly event: ShownEvent }) {
  const happened = happenedAt(event);
  return (
    <>
      <p class="event-meta">
        <LevelMark level={event.level} />
        {common.levels[event.level]}
        {event.delivery_urgency === 'time_sensitive' && <span class="urgent">{common.urgent}</span>}
        {happened !== null && (
          <span>
            {texts.happened} <Moment at={happened} dated />, {texts.received} <Moment at={event.received_at} dated />
          </span>
        )}
      </p>
      <p class="prose" dir="auto">
        {event.description === null ? texts.noText : <LinkedText text={event.description} />}
      </p>
    </>
  );
}

type ShownEvent = Pick<Event, 'level' | 'delivery_urgency' | 'description' | 'occurred_at' | 'received_at'>;

function LinkedText({ text }: { readonly text: string }) {
  return (
    <>
      {linkedPieces(text).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <a key={piece.at} class="link" href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
            {piece.text}
          </a>
        ),
      )}
    </>
  );
}

/** Returns e.g. `maintenance until 14:00, by Ada`, or `Bob is on call`. */
export function whyQuiet({ reason, until, by }: Schema<'Quiet'>): string {
  if (reason === 'not_on_call' && by !== undefined) return quietTexts.isOnCall(by);
  const inTime = until === undefined ? reasons[reason] : quietTexts.until(reasons[reason], times.exact(msOf(until)));
  return by === undefined ? inTime : quietTexts.by(inTime, by);
}

/** Returns e.g. `Bob is on call`, and whether Bob could be reached. */
export function onCallWords({ name, reachable }: Schema<'EventOnCall'>): string {
  return reachable ? quietTexts.isOnCall(name) : quietTexts.isUnreachable(name);
}
