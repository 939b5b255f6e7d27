import { plainEvent } from '../../../contract/event-body.ts';
import type { StoredQuiet } from '../../../contract/loudness.ts';
import type { PostedEvent, Route } from '../../../push.ts';
import type { AcceptArgs } from '../../calls.ts';
import { KEPT_FIELDS, type KeptFields, SELECT_KEPT } from '../../event-columns.ts';
import { ifGiven } from '../../sql.ts';
import { IS_REACHED, IS_VOUCHED } from '../people/vouchers.ts';
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

/** A test push's device, with its person's first workspace, which owns the event. */
export const TESTED_DEVICE = `
  SELECT device.id, route, status, inactive_reason, member.workspace_id
  FROM device JOIN member ON member.user_id = device.user_id
  WHERE device.public_id = :id AND ${ifGiven('userId', 'device.user_id = :userId')}
    AND ${IS_VOUCHED} AND ${IS_REACHED}
  ORDER BY member.created_at, member.workspace_id LIMIT 1`;

export interface TestedDevice {
  readonly id: number;
  readonly route: Route;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly workspace_id: number;
}

const TEST_EVENT = plainEvent('test', 'Test push from pushctl');
const FIX =
  'Open the app on that device and send a test. If nothing appears, remove the device there and add it again.';

/** Returns a test push's event. `notShowing`: another device of the person, not showing, named silently. */
export function testEvent(notShowing?: string): { readonly event: PostedEvent; readonly quiet: string | null } {
  if (notShowing === undefined) return { event: TEST_EVENT, quiet: null };
  const title = `${notShowing} no longer shows alerts`;
  const quiet: StoredQuiet = { reason: 'notice' };
  return {
    event: { ...TEST_EVENT, title, description: FIX, level: 'warning' },
    quiet: JSON.stringify(quiet),
  };
}
