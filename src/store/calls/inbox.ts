/** Calls of a person's app about its own inbox. */
import type { ApiSchema } from '../../contract/api-types.ts';
import type { Level } from '../../push.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import { isSearch, type PagePlace, type SearchFilter } from './serving.ts';

/** A member whom an alert has reached. */
export type Notified = ApiSchema<'WholeEvent'>['notified'][number];

export type InboxEvent = ApiSchema<'InboxEvent'>;
/**
 * `events`: how many of a workspace are unread, of the channels that own devices are subscribed to; 1,000 at most.
 * `channels`: those that have such, by their slugs; 100 at most of each.
 */
export type UnreadCount = ApiSchema<'Unread'>;

export const INBOX_CALLS = {
  /**
   * The events of the channels that any of the person's devices is subscribed to, newest first, or with `after` oldest
   * first, also those from before it was. `before` and `after`: the `next` of the page before; what arrives meanwhile moves nothing. A search looks at a bounded
   * number of events: its page may hold fewer than there are, even none, and `next` leads on. `ofWorkspace`: one that
   * the person belongs to, with whose questions a search takes turns.
   */
  listInbox: call<
    SearchFilter & { userId: number; workspace?: string; unread?: boolean; ofWorkspace?: string },
    (PagePlace & { events: readonly InboxEvent[]; unread: readonly UnreadCount[] }) | Refusal
  >({ reads: true, events: 'lists', internal: true, offThread: isSearch }),
  /**
   * This event and all before it are read, on all of the person's devices: of this channel and level, where they are
   * named. Never takes back what was read. It does a part; its client calls again while there is `more`. `upTo`: a public id; one that was deleted meanwhile stands for its place in
   * time.
   */
  markInboxRead: call<
    { userId: number; workspace: string; upTo: string; channel?: string; level?: Level },
    { more: boolean } | Refusal
  >({
    internal: true,
    events: 'lists',
    own: 'read',
    rest: (args, { more }) => (more ? { name: 'markInboxRead', args } : null),
  }),
  /**
   * These events alone, by their public ids, 100 at most. Those that are not kept any more, or that the person may not
   * see, are passed over.
   */
  markEventsRead: call<{ userId: number; events: readonly string[] }, null>({
    internal: true,
    events: 'lists',
    own: 'read',
  }),
  markEventsUnread: call<{ userId: number; events: readonly string[] }, null | Refusal>({
    internal: true,
    own: 'read',
  }),
  /** Any event of a workspace that the person belongs to: one that was pushed can be read after unsubscribing, too. */
  readInboxEvent: call<{ userId: number; publicId: string }, ApiSchema<'WholeEvent'> | Refusal>({
    reads: true,
    internal: true,
  }),
};
