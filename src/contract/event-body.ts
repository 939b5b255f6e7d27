import type { Links, PostedEvent } from '../push.ts';
import { fromRfc3339, fromTimestamp } from '../values/timestamp.ts';
import type { ApiSchema } from './api-types.ts';

export type EventBody = ApiSchema<'PostedEvent'>;

export function typed(body: EventBody): PostedEvent {
  return {
    channel: body.channel,
    title: body.title,
    description: body.description ?? null,
    level: body.level ?? 'info',
    urgency: body.delivery_urgency ?? 'standard',
    eventType: body.event_type ?? null,
    collapseKey: body.collapse_key === undefined ? null : senderCollapseKey(body.collapse_key),
    expiresInS: body.expires_in ?? null,
    occurredAtMs: body.occurred_at === undefined ? null : fromRfc3339(body.occurred_at),
    oneText: null,
    sendAtMs: body.send_at === undefined ? null : fromTimestamp(body.send_at),
    idempotencyKey: body.idempotency_key ?? null,
    links: linksOf(body),
  };
}

export function plainEvent(channel: string, title: string): PostedEvent {
  return typed({ channel, title });
}

function linksOf({ url, image_url: imageUrl, data = {} }: EventBody): Links {
  return {
    ...(url !== undefined && { url }),
    ...(imageUrl !== undefined && { imageUrl }),
    ...(Object.keys(data).length > 0 && { data: sortedJson(data) }),
  };
}

/** Sorts pairs, whose order some languages change at each retry. */
function sortedJson(data: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Prefix of stored collapse keys of heartbeats, so that none equals a sender's. */
const OWN = '\u0001';

export function senderCollapseKey(key: string): string {
  return key.startsWith(OWN) ? OWN + key : key;
}

export function ownCollapseKey(key: string): string {
  return OWN + key;
}

export function shownCollapseKey(stored: string): string {
  return stored.startsWith(OWN) ? stored.slice(OWN.length) : stored;
}
