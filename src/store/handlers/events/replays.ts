import type { AcceptArgs } from '../../calls.ts';
import { KEPT_FIELDS, type KeptFields, SELECT_KEPT } from '../../event-columns.ts';
import type { EventRecordRow } from './event-rows.ts';

/** The fields that a repeated request is compared with. */
export interface FirstEvent extends EventRecordRow, KeptFields {
  readonly channel_id: number | null;
  readonly channel: string | null;
  readonly had_links: 0 | 1;
  readonly links_mark: string | null;
}

/** The first event with an idempotency key. The condition follows. */
export const FIRST_EVENT = `
  SELECT id, uuid, targeted, announced, coalesce(posted_at, received_at) AS received_at, channel_id, (SELECT slug FROM channel WHERE id = channel_id) AS channel,
    had_links, links_mark, ${SELECT_KEPT}
  FROM event`;

/**
 * Returns what an idempotency key is kept as. One that was posted with an API key which is bound to channels belongs to
 * that API key and its rotations, so that senders know nothing of each other's. All others belong to the workspace, and
 * none of them looks like one of an API key.
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

/**
 * Returns whether the event was posted to a channel that still exists. An event is deleted with its channel, and its
 * key is free again.
 */
export function isFirstThere({ channel_id, channel }: FirstEvent): boolean {
  return channel_id === null || channel !== null;
}

/**
 * Returns whether a repeat asks for the same as the first request. Its fields are on the event, its links are known by
 * a mark.
 */
export function isSameRequest(first: FirstEvent, again: Omit<AcceptArgs, 'uuid'>): boolean {
  return (
    first.channel === again.channel &&
    KEPT_FIELDS.every((field) => first[field] === again[field]) &&
    first.had_links === (again.hadLinks ? 1 : 0) &&
    isSameMark(first.links_mark, again.linksMark)
  );
}

/** Marks of different keys cannot be compared, nor can those of events from before there were any. */
function isSameMark(first: string | null, again: string | null): boolean {
  if (first === null || again === null) return true;
  const [keyOfFirst] = first.split(' ');
  const [keyOfAgain] = again.split(' ');
  return keyOfFirst !== keyOfAgain || first === again;
}
