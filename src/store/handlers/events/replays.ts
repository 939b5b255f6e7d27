import type { AcceptArgs } from '../../calls.ts';
import { KEPT_FIELDS, type KeptFields, SELECT_KEPT } from '../../event-columns.ts';
import type { EventRecordRow } from './event-rows.ts';

/** Fields compared with a repeated request. */
export interface FirstEvent extends EventRecordRow, KeptFields {
  readonly channel_id: number | null;
  readonly channel: string | null;
  readonly had_links: 0 | 1;
  readonly links_mark: string | null;
}

/** The first event with an idempotency key; a condition follows. */
export const FIRST_EVENT = `
  SELECT id, uuid, targeted, announced, coalesce(posted_at, received_at) AS received_at, channel_id, (SELECT slug FROM channel WHERE id = channel_id) AS channel,
    had_links, links_mark, ${SELECT_KEPT}
  FROM event`;

/**
 * Returns the stored form of an idempotency key. A key posted with a channel-bound API key belongs to that API key and
 * its rotations, so senders learn nothing of each other's. All others belong to the workspace, and none of them looks
 * like one of an API key.
 */
export function scopedKey({
  boundKeyId,
  postedBy,
  idempotencyKey,
}: Pick<AcceptArgs, 'boundKeyId' | 'postedBy' | 'idempotencyKey'>): string | null {
  if (idempotencyKey === null) return null;
  if (boundKeyId === null) return idempotencyKey.startsWith(SCOPE) ? SCOPE + idempotencyKey : idempotencyKey;
  return SCOPE + (postedBy ?? boundKeyId) + SCOPE + idempotencyKey;
}

const SCOPE = '\u0001';

/** Returns whether the event's channel exists. Deleting it deletes the event and frees the key. */
export function isFirstThere({ channel_id, channel }: FirstEvent): boolean {
  return channel_id === null || channel !== null;
}

/** Returns whether a repeat equals the first request: fields are on the event, links have marks. */
export function isSameRequest(first: FirstEvent, again: Omit<AcceptArgs, 'uuid'>): boolean {
  return (
    first.channel === again.channel &&
    KEPT_FIELDS.every((field) => first[field] === again[field]) &&
    first.had_links === (again.hadLinks ? 1 : 0) &&
    isSameMark(first.links_mark, again.linksMark)
  );
}

/** Different keys' marks, and old events' missing ones, cannot be compared. */
function isSameMark(first: string | null, again: string | null): boolean {
  if (first === null || again === null) return true;
  const [keyOfFirst] = first.split(' ');
  const [keyOfAgain] = again.split(' ');
  return keyOfFirst !== keyOfAgain || first === again;
}
