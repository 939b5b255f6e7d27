/** Operators' calls about events, some also used by the dashboard. */

import type { ApiSchema } from '../../contract/api-types.ts';
import type { DeliveryState, Level, Route } from '../../push.ts';
import { call, change } from '../call.ts';
import type { LivePauses } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import type { AlertAsker } from './alerts.ts';
import { type Posted, sent } from './heartbeats.ts';
import { type EventPage, isSearch, type PagePlace, type Reach, type SearchFilter } from './serving.ts';

export const EVENT_CALLS = {
  /**
   * Lists events, newest first, or with `after` oldest first. Test pushes are listed only if neither channel nor level
   * is given. `before`, `after`: the previous page's `next`. A search examines a bounded number of events.
   */
  listEvents: call<SearchFilter & { workspace: string }, EventPage | Refusal>({
    reads: true,
    events: 'lists',
    offThread: isSearch,
  }),
  /**
   * Resends an event's failed and expired pushes, under its own id, to the devices that may still get them. Counts no
   * usage. This call decides and does a part; `continueResend` or housekeeping does the rest, until `done`. `resent`:
   * pushes so far. `workspace`: only its events.
   */
  resendEvent: call<{ publicId: string; workspace?: string }, (ResendProgress & { links: LinkLoss }) | Refusal>({
    invalidates: ['queue', 'cleanup'],
    audit: (_, { event }) => change('event.resend', event.workspace, `${event.public_id}: what failed or expired`),
  }),
  continueResend: call<{ publicId: string }, ResendProgress | Refusal>({
    isStep: true,
    invalidates: ['queue'],
    audit: null,
  }),
  /** Posts the event again as a new one, to all current subscribers. `uuid`: the new one's. */
  repostEvent: call<
    { publicId: string; uuid: string },
    { event: ApiSchema<'EventWithCounts'>; links: LinkLoss } | Refusal
  >({
    events: 'adds',
    invalidates: ['queue'],
    audit: ({ publicId }, { event }) =>
      change('event.resend', event.workspace, `${publicId} to all, as ${event.public_id}`),
  }),
  /**
   * Cancels the pushes of an event that are not sent yet. `isNew`: this call decided that, while `waiting` pushes were
   * pending. `wasScheduled`: the event was not due yet, so nothing of it is sent. The call does a part;
   * `continueCancel` or the queue's sweep does the rest, until `done`. `withdrawn`: by this call. Pushes still pending
   * at the end are with a delivery thread, and end as withdrawn if they are not sent.
   */
  cancelEvent: call<
    AlertAsker & { publicId: string },
    (CancelProgress & { waiting: number; isNew: boolean; wasScheduled: boolean }) | Refusal
  >({
    canRevoke: true,
    invalidates: ['queue'],
    audit: (_, { event, isNew, wasScheduled, waiting }) => {
      const what = wasScheduled ? 'before its time' : pushes(waiting);
      return isNew ? change('event.cancel', event.workspace, `${event.public_id}: ${what}`) : null;
    },
  }),
  continueCancel: call<{ publicId: string }, CancelProgress | Refusal>({ canRevoke: true, isStep: true, audit: null }),
  /** Returns the ms until the next scheduled event; null: none. */
  nextRelease: call<Record<string, never>, { inMs: number | null }>({ reads: true, internal: true }),
  /** Sends due events, some per call; with `skip` only the one behind so many. */
  releaseDue: call<{ skip?: number }, { released: readonly Posted[] }>({
    internal: true,
    events: 'adds',
    invalidates: ({ released }) => (released.length > 0 ? ['queue'] : []),
    audit: (_, { released }) => sent(released),
  }),
  /** Lists events with waiting pushes by id: the first `limit` after that one. Scheduled events are left out. */
  listWaiting: call<{ after: number; limit: number }, readonly WaitingEvent[]>({ reads: true, offThread: true }),
  /** Returns a channel's scheduled events by collapse key or id. */
  findScheduled: call<
    Reach & { channel: string; collapseKey: string; publicId: string },
    { publicIds: readonly string[] }
  >({ reads: true }),
  /**
   * `workspace`: only its events; `state`: only deliveries in it; `email`: results on that member's devices. `pauses`:
   * the running server's.
   */
  showEvent: call<
    {
      publicId: string;
      workspace?: string;
      state?: DeliveryState;
      email?: string;
      limit: number;
      after?: string;
      pauses?: LivePauses;
    },
    ApiSchema<'EventOfAWorkspace'> | Refusal
  >({ reads: true, offThread: ({ state }) => state !== undefined }),
  /** Lists the newest events of the channels that a member's devices are subscribed to, with one word each. */
  listMemberEvents: call<
    { workspace: string; email: string; before?: string; limit: number; pauses?: LivePauses },
    ApiSchema<'MemberEventList'> | Refusal
  >({ reads: true, internal: true, events: 'lists', offThread: true }),
  /** Checks that everything named by a watcher exists. `workspaceId` null: no workspace named. */
  findWatched: call<Watched, { workspaceId: number | null } | Refusal>({ reads: true, internal: true }),
};

/** The events whose outcomes a client watches; absent fields match everything. */
export interface Watched {
  /** Slugs. */
  readonly workspace?: string;
  readonly channel?: string;
  readonly route?: Route;
  /** Public id. */
  readonly event?: string;
}

/** `id`: internal. */
interface WaitingEvent {
  readonly id: number;
  readonly public_id: string;
}

export interface CancelProgress {
  readonly event: ApiSchema<'EventWithCounts'>;
  readonly withdrawn: number;
  readonly done: boolean;
}
export interface ResendProgress extends Omit<ApiSchema<'EventResent'>, 'links'> {
  readonly event: ApiSchema<'EventWithCounts'>;
}
/**
 * Whether resent pushes have their event's links and `data`: it had none, they are lost, or a server not restarted
 * since has them.
 */
export type LinkLoss = ApiSchema<'EventResent'>['links'];

/**
 * The most scheduled events of a workspace: lists have to step over them. A cancelled event still lies there, so it
 * counts for a day. PostgreSQL repeats both numbers in `within_waiting`.
 */
export const MOST_HELD_BACK = 1_000;
export const TAKEN_BACK_MS = 86_400_000;

function pushes(count: number): string {
  return `${count} ${count === 1 ? 'push' : 'pushes'}`;
}

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
