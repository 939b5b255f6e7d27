/** Calls of operators about events. The dashboard's routes use some of them too. */
import type { ApiSchema } from '../../contract/api-types.ts';
import type { DeliveryState, Route } from '../../push.ts';
import { call, change } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import type { AlertAsker } from './alerts.ts';
import { type Posted, sent } from './heartbeats.ts';
import { type EventPage, isSearch, type Reach, type SearchFilter } from './serving.ts';

export const EVENT_CALLS = {
  /**
   * The newest first, or with `after` the oldest; test pushes only where neither channel nor level is asked for. `before`
   * and `after`: the `next` of the page before. A search looks at a bounded number of events, as that of the inbox.
   */
  listEvents: call<SearchFilter & { workspace: string }, EventPage | Refusal>({
    reads: true,
    events: 'lists',
    offThread: isSearch,
  }),
  /**
   * Resends failed and expired pushes of an event, under its own id, to the devices that may still get them. Counts no
   * usage. This call decides and does a part; `continueResend` or the server's housekeeping does the next parts, until
   * `done`. `resent`: pushes so far. With `workspace`, only among its events.
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
  /**
   * Posts the event once more: a new one, to all that are subscribed now, which counts as any other. `uuid`: the new
   * one's.
   */
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
   * Takes an event back: what of it is not sent yet never will be. `isNew`: this call decided that, while `waiting`
   * pushes were pending. `wasScheduled`: its time was to come, and nothing of it is sent. It does a part; `continueCancel` does the next one, until `done`, and so does the sweep of the
   * queue. `withdrawn`: by this call. What is pending at the end is with a delivery thread, and ends as withdrawn where
   * it was not sent, too.
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
  /** In how many ms the next event that waits for its time is due; null: none waits. */
  nextRelease: call<Record<string, never>, { inMs: number | null }>({ reads: true, internal: true }),
  /** Sends the events whose time has come, some at each call; with `skip` the one behind so many of them alone. */
  releaseDue: call<{ skip?: number }, { released: readonly Posted[] }>({
    internal: true,
    events: 'adds',
    invalidates: ({ released }) => (released.length > 0 ? ['queue'] : []),
    audit: (_, { released }) => sent(released),
  }),
  /**
   * Events of which something waits to be sent, in the order of their ids: the first `limit` after that one. Not those
   * whose time is to come.
   */
  listWaiting: call<{ after: number; limit: number }, readonly WaitingEvent[]>({ reads: true, offThread: true }),
  /** The events of a channel that wait for their time and have this collapse key or id. */
  findScheduled: call<
    Reach & { channel: string; collapseKey: string; publicId: string },
    { publicIds: readonly string[] }
  >({ reads: true }),
  /**
   * With `workspace` only among its events; with `state` only the deliveries in it; with `email` the results on the devices of a
   * member.
   */
  showEvent: call<
    { publicId: string; workspace?: string; state?: DeliveryState; email?: string; limit: number; after?: string },
    ApiSchema<'EventOfAWorkspace'> | Refusal
  >({ reads: true, offThread: ({ state }) => state !== undefined }),
  /** The newest events of the channels that a member's devices are subscribed to, with one word each. */
  listMemberEvents: call<
    { workspace: string; email: string; before?: string; limit: number },
    ApiSchema<'MemberEventList'> | Refusal
  >({ reads: true, internal: true, events: 'lists', offThread: true }),
  /** Whether there is all that a watcher names. `workspaceId` null: it names no workspace. */
  findWatched: call<Watched, { workspaceId: number | null } | Refusal>({ reads: true, internal: true }),
};

/** Whose outcomes a client watches; what is absent does not matter. */
export interface Watched {
  /** Slugs. */
  readonly workspace?: string;
  readonly channel?: string;
  readonly route?: Route;
  /** Public id. */
  readonly event?: string;
}

/** `id`: internal. */
export interface WaitingEvent {
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
 * Whether resent pushes have the links and `data` of their event: it had none, they are lost, or a server that was not restarted
 * since has them.
 */
export type LinkLoss = ApiSchema<'EventResent'>['links'];

/**
 * So many events of a workspace may wait for their time: they lie among those that lists look at. What was taken back
 * lies there still, so it counts for a day. PostgreSQL has both numbers in `within_waiting`.
 */
export const MOST_HELD_BACK = 1_000;
export const TAKEN_BACK_MS = 86_400_000;

function pushes(count: number): string {
  return `${count} ${count === 1 ? 'push' : 'pushes'}`;
}
