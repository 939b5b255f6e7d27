import type { AlertState, Level, Links, PushEvent, Urgency } from '../../push.ts';
import { toTimestamp } from '../../timestamp.ts';

/** What an app receives beside the text, under the same names on both platforms. */
export interface FlatKeys {
  readonly event_id: string;
  readonly workspace: string;
  readonly channel: string;
  readonly level: Level;
  readonly delivery_urgency: Urgency;
  /** ISO 8601, UTC, milliseconds, offset `+00:00`. */
  readonly received_at: string;
  readonly occurred_at?: string;
  readonly event_type?: string;
  readonly collapse_key?: string;
  readonly url?: string;
  readonly image_url?: string;
}

/** What an app receives beside these of an event that belongs to an alert, and `quiet` of any. */
export interface AlertKeys {
  /** Public id of the event that opened it. */
  readonly alert_id?: string;
  readonly alert_state?: AlertState;
  /** 0: an event as it was posted. */
  readonly reminder?: number;
  /** Of a bundle. */
  readonly open_alerts?: number;
  readonly quiet?: true;
}

/** The parts of a payload that may have to give way when it is too long. `fitted`: something has. */
export interface Content {
  readonly title: string;
  readonly body: string;
  readonly collapseKey: string | null;
  readonly links: Links;
  readonly fitted: boolean;
}

/** All of an event's content, as it is sent where it fits. The text is the description, else the title. */
export function contentOf(event: PushEvent): Content {
  const title = sendable(event.title);
  const body = event.description ? sendable(event.description) : title;
  const collapseKey = event.collapseKey === null ? null : sendable(event.collapseKey);
  return { title, body, collapseKey, links: event.links, fitted: false };
}

export function flatKeys(event: PushEvent, { links, collapseKey }: Pick<Content, 'links' | 'collapseKey'>): FlatKeys {
  return {
    event_id: event.alert?.shows?.publicId ?? event.publicId,
    workspace: event.workspace,
    channel: event.channel,
    level: event.level,
    delivery_urgency: event.urgency,
    received_at: toTimestamp(event.alert?.shows?.receivedAtMs ?? event.receivedAtMs),
    ...(event.occurredAtMs !== null && { occurred_at: toTimestamp(event.occurredAtMs) }),
    ...(event.eventType !== null && { event_type: sendable(event.eventType) }),
    ...(collapseKey !== null && { collapse_key: collapseKey }),
    ...(links.url !== undefined && { url: links.url }),
    ...(links.imageUrl !== undefined && { image_url: links.imageUrl }),
  };
}

export function alertKeys({ alert, quiet }: PushEvent): AlertKeys {
  return {
    ...(alert && { alert_id: alert.id, alert_state: alert.state, reminder: alert.reminder }),
    ...(alert?.open !== undefined && { open_alerts: alert.open }),
    ...(quiet && { quiet }),
  };
}

/** How a push is shown: one that insists asks to be acknowledged. */
export function mannerOf({ alert, quiet }: PushEvent): 'plain' | 'insists' | 'quiet' {
  if (quiet) return 'quiet';
  return alert?.state === 'open' ? 'insists' : 'plain';
}

/** Control characters but newline and tab. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Control characters become spaces, lone surrogates U+FFFD: neither can be shown, and each costs six bytes of JSON. */
function sendable(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ');
}
