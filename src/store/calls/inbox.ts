import type { ApiSchema } from '../../contract/api-types.ts';
import type { Level } from '../../push.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import { isSearch, type PagePlace, type SearchFilter } from './serving.ts';

/** A member reached by an alert. */
export type Notified = ApiSchema<'WholeEvent'>['notified'][number];

/** A push on a device of the reader. */
export type OwnDelivery = ApiSchema<'WholeEvent'>['own_devices'][number];

export type InboxEvent = ApiSchema<'InboxEvent'>;
/** `events`: unread ones in subscribed channels, at most 1,000 per workspace. `channels`: by slug, at most 100 each. */
export type UnreadCount = ApiSchema<'Unread'>;

export const INBOX_CALLS = {
  /**
   * Lists events of a person's subscribed channels, also from before the subscription. Newest first, or with `after`
   * oldest first. `before`, `after`: the previous page's `next`; new arrivals move nothing. A search examines a bounded
   * number of events: a page may be short or empty, and `next` leads on. `ofWorkspace`: a workspace of the person,
   * whose searches take turns with this.
   */
  listInbox: call<
    SearchFilter & { userId: number; workspace?: string; unread?: boolean; ofWorkspace?: string },
    (PagePlace & { events: readonly InboxEvent[]; unread: readonly UnreadCount[] }) | Refusal
  >({ reads: true, events: 'lists', internal: true, offThread: isSearch }),
  /**
   * Marks this event and all before it as read on all of the person's devices, optionally of one channel and level.
   * Never marks as unread. Does a part; call again while `more`. `upTo`: a public id; a deleted event stands for its
   * place in time.
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
  /** Marks these events only (public ids, at most 100). Skips deleted or invisible ones. */
  markEventsRead: call<{ userId: number; events: readonly string[] }, null>({
    internal: true,
    events: 'lists',
    own: 'read',
  }),
  markEventsUnread: call<{ userId: number; events: readonly string[] }, null | Refusal>({
    internal: true,
    own: 'read',
  }),
  /** Reads any event of the person's workspaces, even after unsubscribing. */
  readInboxEvent: call<{ userId: number; publicId: string }, ApiSchema<'WholeEvent'> | Refusal>({
    reads: true,
    internal: true,
  }),
};
