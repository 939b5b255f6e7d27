import { createHash } from 'node:crypto';
import { shownCollapseKey } from '../../contract/collapse-key.ts';
import type { AlertState, Level, Links, PushEvent, Urgency } from '../../push.ts';
import { toTimestamp } from '../../values/timestamp.ts';

/** The app's keys beside the text, equal on both platforms. */
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

/** Keys of alerts, and `quiet` and `receipt` of any event. */
export interface AlertKeys {
  /** Public id of the event that opened it. */
  readonly alert_id?: string;
  readonly alert_state?: AlertState;
  /** 0: an event as it was posted. */
  readonly reminder?: number;
  /** In a bundle: the number of open alerts. */
  readonly open_alerts?: number;
  readonly quiet?: true;
  /** The event to report as shown: a reminder's id differs from its event's. */
  readonly receipt?: string;
}

/** Parts to shorten if necessary. `fitted`: something was. */
export interface Content {
  readonly title: string;
  readonly body: string;
  readonly collapseKey: string | null;
  readonly links: Links;
  readonly fitted: boolean;
}

/**
 * Returns all content, sent if it fits. The body is the description, else the title. A sender's only text is the body,
 * below the channel's name. An acknowledged alert's push replaces the notice, so its body begins with the holder. A
 * push that rings only for another person begins with that person.
 */
export function contentOf(event: PushEvent): Content {
  const title = sendable(event.headline ?? event.title);
  const { alert } = event;
  const taken = alert?.state === 'acknowledged' && alert.by !== undefined ? [`${alert.by} has it.`] : [];
  const onCall = event.quiet && alert?.onCall !== undefined ? [`${alert.onCall} is on call.`] : [];
  const text = event.description ?? (event.headline === undefined ? '' : event.title);
  const body = [...taken, ...onCall, ...(text ? [text] : [])].join('\n');
  const collapseKey = event.collapseKey === null ? null : sendable(shownCollapseKey(event.collapseKey));
  return { title, body: body === '' ? title : sendable(body), collapseKey, links: event.links, fitted: false };
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

/** Returns `data` for payloads with objects. */
export function pairs({ data }: Links): { readonly data?: Readonly<Record<string, string>> } {
  return data === undefined ? {} : { data: JSON.parse(data) };
}

export function alertKeys({ alert, quiet, receipt, publicId }: PushEvent): AlertKeys {
  return {
    ...(alert && { alert_id: alert.id, alert_state: alert.state, reminder: alert.reminder }),
    ...(alert?.open !== undefined && { open_alerts: alert.open }),
    ...(quiet && { quiet }),
    ...(receipt && { receipt: publicId }),
  };
}

/** Returns how to show a push; insistent ones ask for acknowledgement. */
export function mannerOf({ alert, quiet }: PushEvent): 'plain' | 'insists' | 'quiet' {
  if (quiet) return 'quiet';
  return alert?.state === 'open' ? 'insists' : 'plain';
}

/** Control characters but newline and tab. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Replaces control characters by spaces, lone surrogates by U+FFFD: invisible, and six bytes of JSON each. */
function sendable(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ');
}

/**
 * Returns the id by which pushes replace each other: an event's copies, or a channel's events with one collapse key.
 * Alerts share an id across channels, bundles within one. Names are hashed: Apple takes 64 bytes at most:
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
 */
export function collapseIdOf({ publicId, workspace, channel, collapseKey, alert }: PushEvent): string {
  const place = [workspace, alert?.channel ?? channel];
  if (alert?.open !== undefined) return hashOf(place);
  return collapseKey === null ? (alert?.id ?? publicId) : hashOf([...place, collapseKey]);
}

function hashOf(names: readonly string[]): string {
  const name = JSON.stringify(names);
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}
