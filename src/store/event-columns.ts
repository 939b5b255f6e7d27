import { shownCollapseKey } from '../contract/event-body.ts';
import type { PostedEvent } from '../push.ts';
import { toTimestampOrNull } from '../values/timestamp.ts';

/** Fields stored as posted. Links are never stored; channel and idempotency key have other forms. */
export type KeptFields = Omit<PostedEvent, 'channel' | 'idempotencyKey' | 'links'>;

/** Each field's column, for all inserts, reads and comparisons. */
export const EVENT_COLUMNS: Readonly<Record<keyof KeptFields, string>> = {
  title: 'title',
  description: 'description',
  level: 'level',
  urgency: 'urgency',
  eventType: 'event_type',
  collapseKey: 'collapse_key',
  expiresInS: 'expires_in',
  occurredAtMs: 'occurred_at',
  oneText: 'one_text',
  sendAtMs: 'send_at',
};

/** Fields as the API and the command line show them, with `level` and `event_type`. */
export function shownFields(event: KeptFields) {
  return {
    title: event.title,
    description: event.description,
    delivery_urgency: event.urgency,
    collapse_key: event.collapseKey === null ? null : shownCollapseKey(event.collapseKey),
    /** In seconds. */
    expires_in: event.expiresInS,
    occurred_at: toTimestampOrNull(event.occurredAtMs),
    send_at: toTimestampOrNull(event.sendAtMs),
  };
}

export const KEPT_FIELDS = Object.keys(EVENT_COLUMNS) as readonly (keyof KeptFields)[];

/** Columns of `event`: all `KeptFields` by name. */
export const SELECT_KEPT = KEPT_FIELDS.map((field) => `event.${EVENT_COLUMNS[field]} AS "${field}"`).join(', ');

export function keptFields(row: KeptFields): KeptFields {
  const kept: Partial<Record<keyof KeptFields, unknown>> = {};
  for (const field of KEPT_FIELDS) kept[field] = row[field];
  return kept as KeptFields;
}
