import { shownCollapseKey } from '../contract/collapse-key.ts';
import type { PostedEvent } from '../push.ts';
import { toTimestampOrNull } from '../values/timestamp.ts';

/**
 * The fields of a posted event that are stored unchanged. Links are never stored. Channel and idempotency key are
 * stored in other forms.
 */
export type KeptFields = Omit<PostedEvent, 'channel' | 'idempotencyKey' | 'links'>;

/** The column of each field: what inserts, reads and compares events takes them from here. */
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

/** The fields as the API and the command line show them, `level` and `event_type` in the event's record. */
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

/** The columns of a SELECT from `event`: all `KeptFields`, by their names. */
export const SELECT_KEPT = KEPT_FIELDS.map((field) => `event.${EVENT_COLUMNS[field]} AS "${field}"`).join(', ');

export function keptFields(row: KeptFields): KeptFields {
  const kept: Partial<Record<keyof KeptFields, unknown>> = {};
  for (const field of KEPT_FIELDS) kept[field] = row[field];
  return kept as KeptFields;
}
