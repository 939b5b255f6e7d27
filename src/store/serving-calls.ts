/** What the server asks of the store while it serves: to judge keys, to accept events, and to work off the queue. */
import type { EventRecord, Lane, Level, PostedEvent, PushEvent, Route, Scope, Target, VapidKeys } from '../push.ts';
import { call, change, type Topic } from './call.ts';
import type {
  Alert,
  Channel,
  ConnectionKey,
  DeliveryCounts,
  EventText,
  Progress,
  Usage,
  WorkspaceWithUsage,
} from './records.ts';
import type { Refusal } from './refusal.ts';
import type { StoredStatus } from './stored-status.ts';

const SCHEDULED: readonly Topic[] = ['scheduled'];
const NOTHING: readonly Topic[] = [];

export const SERVING_CALLS = {
  // Health, keys and events
  /** `displaced`: what has become of the open database's files, in words; null: they are where they were. */
  ping: call<
    Record<string, never>,
    { readonly version: string; readonly schema: number; readonly displaced: string | null }
  >({ reads: true }),
  /** Writes and commits something of no meaning, so rejects where nothing can be written. */
  proveWritable: call<Record<string, never>, null>({ internal: true }),
  findKey: call<{ id: string }, KeyRecord | null>({ reads: true, internal: true }),
  touchKey: call<{ id: string }, null>({ internal: true }),
  describeConnection: call<{ keyId: string }, { workspace: WorkspaceWithUsage; key: ConnectionKey } | null>({
    reads: true,
  }),
  /** It does not wake the relay: the server tells it which lanes of the `routes` have more to do. */
  acceptEvent: call<AcceptArgs, AcceptAnswer>({
    internal: true,
    events: 'adds',
    invalidates: (answer) => (answer.kind === 'accepted' && answer.isScheduled ? SCHEDULED : NOTHING),
    audit: ({ workspaceId: id, channel }, answer) =>
      answer.kind === 'accepted' ? change('event.send', { id }, `${answer.event.public_id} to ${channel}`) : null,
  }),
  /** What `acceptEvent` would answer, and nothing is stored or counted. */
  checkEvent: call<Omit<AcceptArgs, 'uuid'>, CheckAnswer>({ reads: true, internal: true }),
  /**
   * Counts one use under each of the names, or none at all, for all processes of the store together. Where there is one
   * alone, its own limits say everything, and every answer is as if nothing had been used.
   */
  countUses: call<{ uses: readonly Use[] }, UsesCounted>({ reads: true, internal: true }),
  /** What was counted at that time counts no longer. */
  takeBackUses: call<{ names: readonly string[]; at: readonly number[] }, null>({ reads: true, internal: true }),
  readEvent: call<
    Reach & { publicId: string },
    ({ event: EventRecord; deliveries: DeliveryCounts; alert: Alert | null } & Progress) | null
  >({
    reads: true,
  }),
  readUsage: call<{ workspaceId: number }, Usage>({ reads: true }),
  /**
   * The newest first, or with `after` the oldest; test pushes left out. `before` and `after`: the `next` of the page
   * before; what arrives meanwhile moves nothing. A page looks at a bounded number of events, as a search does.
   */
  listReachedEvents: call<Reach & EventFilter, EventPage | Refusal>({
    reads: true,
    events: 'lists',
    internal: true,
    offThread: isSearch,
  }),
  listReachedChannels: call<Reach, readonly Omit<Channel, 'device_count' | 'insist' | 'quiet'>[]>({
    reads: true,
    internal: true,
  }),

  /** The installation's own key pair for Web Push, made by the first call. */
  vapidKeys: call<Record<string, never>, VapidKeys>({ internal: true }),

  /** Public ids by the store's own, for those who watch outcomes; a device that was removed has none. */
  publicDeviceIds: call<{ ids: readonly number[] }, Readonly<Record<number, string>>>({ reads: true, internal: true }),

  // The relay. The queue's clock is the store's own: they exchange durations, never times.
  // With `isCareful`, an event whose part of the work throws is set aside, and the others go on. It costs a savepoint
  // an event, so it is for a call that has thrown without.
  /**
   * At most `limit` targets, in the order in which they should go out, in batches of `batchSize`; the last may be
   * smaller.
   */
  claimBatches: call<{ route: Route; lane: Lane; limit: number; batchSize: number; isCareful?: boolean }, ClaimAnswer>({
    internal: true,
    carriesOut: true,
  }),
  /**
   * Records verdicts of a claim, of all its targets or of some; the others stay claimed. Of a claim that is not the
   * caller's any more nothing is recorded. `finished`: public ids of events that have nothing left to send on any
   * route; their links may go.
   */
  settleBatch: call<SettleArgs, { finished: readonly string[] }>({ internal: true, carriesOut: true }),
  /** Gives a claim back untouched: nothing of it was sent. One that is not the caller's any more stays as it is. */
  releaseBatch: call<{ claimId: ClaimId }, null>({ internal: true, carriesOut: true }),
  /** Ends what outlived its event's time to live; call again while `more`. */
  expireOverdue: call<{ isCareful?: boolean }, { finished: readonly string[]; more: boolean }>({
    internal: true,
    carriesOut: true,
  }),
  /** The routes that operators have paused. */
  listPauses: call<Record<string, never>, readonly OperatorPause[]>({ reads: true, internal: true }),
  /** Removes some of what is older than it should be kept; call again while not `done`. */
  pruneStep: call<Record<string, never>, PruneAnswer>({ internal: true, isStep: true }),
  queueDepth: call<Record<string, never>, readonly QueueDepth[]>({ reads: true, offThread: true }),
  readStatus: call<Record<string, never>, StoredStatus>({ reads: true, internal: true, offThread: true }),
  /** Lanes without anything to send are left out. */
  queueAge: call<Record<string, never>, readonly QueueAge[]>({ reads: true }),
};

/**
 * Of something that may be done `most` times in any window of time. `name`: what it is, and whose; it is not stored.
 */
export interface Use {
  readonly name: string;
  readonly most: number;
  readonly windowMs: number;
}
/** The name of what `acceptEvent` and `checkEvent` count of a key, for a request that ends before. */
export function requestsOf(keyId: string): string {
  return `requests of ${keyId}`;
}
/** `resetAfterMs`: nothing was counted, and may be after so long; null: all was. `at`: when, of each; empty: not here. */
export interface UsesCounted {
  readonly resetAfterMs: number | null;
  readonly at: readonly number[];
}

/** What an integrator can reach: a workspace, or some of its channels alone. */
export interface Reach {
  readonly workspaceId: number;
  /** Id of the key that asks, where it is bound to channels: all others are as if they were not there. */
  readonly boundKeyId: string | null;
}

/** `before` and `after` are not there together. */
export interface EventFilter {
  /** Slug. */
  readonly channel?: string;
  readonly level?: Level;
  readonly eventType?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly before?: string;
  readonly after?: string;
  readonly limit: number;
}
/**
 * `q`: words that an event's title and description must hold all of, whatever their case. `scheduled`: only what waits
 * for its time; of the other filters it goes with `channel`, `level`, `eventType` and `before`.
 */
export interface SearchFilter extends EventFilter {
  readonly q?: string;
  readonly scheduled?: boolean;
}
/** Whether a page may have to look at many events that it does not hold. */
export function isSearch({ q, eventType }: SearchFilter): boolean {
  return q !== undefined || eventType !== undefined;
}

export interface EventPage extends PagePlace {
  readonly events: readonly (EventText & { readonly deliveries: DeliveryCounts })[];
}

/** How far a page of events came. */
export interface PagePlace {
  /** Where the next page begins; null: it is the last. */
  readonly next: string | null;
  /** With `after`: public id of the last event that was looked at, behind which to ask later. */
  readonly up_to?: string;
  /** Of a search, newest first: since when all events were looked at; null: all were. */
  readonly searched_to?: string | null;
}

/** What the HTTP side must know to judge a key. Only this carries the hash. */
export interface KeyRecord extends Reach {
  readonly id: string;
  /** Slug of its channel, where it is bound to exactly one. */
  readonly onlyChannel: string | null;
  readonly workspaceStatus: 'active' | 'suspended';
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly burstPerMinute: number | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A posted event without its links, which no store may see. */
export interface AcceptArgs extends Omit<PostedEvent, 'links'>, Reach {
  /** UUID version 7, hyphenated. */
  readonly uuid: string;
  readonly hadLinks: boolean;
  /** What shows whether a repeated request has the same links; null: nothing does. */
  readonly linksMark: string | null;
  /** An event of the server's own: it counts in no usage, and no allowance limits it. */
  readonly isOwn?: true;
  /** An event that was accepted before, whose time has come: it is sent, also where its channel is inactive by now. */
  readonly released?: FirstAcceptance;
  /**
   * How many requests of its key there may be in any minute. Each process counts its own before: a store of several
   * counts those of all, unless this is absent.
   */
  readonly perMinute?: number;
}

/** What an event that is sent later keeps of its acceptance. `announced`: for how many devices that was. */
export interface FirstAcceptance {
  /** As it is kept. */
  readonly idempotencyKey: string | null;
  readonly postedAtMs: number;
  readonly announced: number;
}

/** What is left of a key's requests, where the store has counted this one. `resetAfterMs`: until there is more. */
export interface RequestsLeft {
  readonly remaining: number;
  readonly resetAfterMs: number;
}
interface Counted {
  readonly requests?: RequestsLeft;
}

export type AcceptAnswer = Counted &
  (
    | {
        readonly kind: 'accepted';
        readonly event: EventRecord;
        readonly eventId: number;
        /** Those with something to do. */
        readonly routes: readonly Route[];
        /** Its time is to come. */
        readonly isScheduled?: true;
      }
    | NotAccepted
  );
export type CheckAnswer = Counted & ({ readonly kind: 'valid'; readonly targeted: number } | NotAccepted);

export type NotAccepted =
  /** Nodes have let in more requests of its key together than any minute may have. */
  | { readonly kind: 'rate_limited' }
  /** `isSame`: the request is the one that the event was first sent with, as far as is known. */
  | { readonly kind: 'replayed'; readonly event: EventRecord; readonly isSame: boolean }
  | { readonly kind: 'unknown_channel' }
  /** Of its workspace as many as may be wait for their time (`scheduled-limit.ts`). */
  | { readonly kind: 'too_many_scheduled' }
  /** `resetsAtMs`: wall clock, first millisecond of the next month. */
  | { readonly kind: 'allowance_exhausted'; readonly resetsAtMs: number };

/** What the queue says of an event that it hands out. `channelId` null: a test push to one device. */
export interface ClaimedEvent {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly event: Omit<PushEvent, 'links'>;
  readonly hadLinks: boolean;
  /** Its remaining time to live when it was claimed. */
  readonly leftMs: number;
}

/** Names a claim to the store that made it, and means nothing to any other. */
export type ClaimId = string;

/**
 * A part of the queue, handed out for sending. Each target stays claimed until it is settled, or the process ends.
 * `order` grows from claim to claim.
 */
export interface Claim {
  readonly claimId: ClaimId;
  readonly order: number;
  readonly route: Route;
  readonly lane: Lane;
  readonly events: readonly ClaimedEvent[];
  readonly targets: readonly Target[];
}

/**
 * What may no longer be sent of what is handed out: of a workspace, to a device, from a channel, of an event; null:
 * any. A device has lost its right to a push, or has another address; a workspace is suspended; an event was taken
 * back. It is reported before the call that made it is answered. Claims of an order beyond `upTo` were made after it,
 * and judged by it.
 */
export interface End {
  readonly workspaceId: number | null;
  readonly deviceId: number | null;
  readonly channelId: number | null;
  readonly eventId: number | null;
  readonly upTo: number;
}

export interface ClaimAnswer {
  readonly claims: readonly Claim[];
  /**
   * How long until the next deferred push of this route and lane falls due; null: none waits, or the limit was reached
   * before.
   */
  readonly nextDueInMs: number | null;
  /** Public ids of events that ended here without a send (expired, or all their devices withdrawn). */
  readonly finished: readonly string[];
}

export type Verdict =
  /**
   * `token`: the device, if it still has it, is known from now on as one that was accepted, and is no suspect any more.
   */
  | { readonly state: 'accepted'; readonly token?: string }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'expired'; readonly reason: string }
  /**
   * `token` and `atMs` guard the device: it is deactivated only if it still has this token and did not register since.
   */
  | { readonly state: 'unregistered'; readonly reason: string; readonly token: string; readonly atMs: number | null }
  /**
   * Pending, in the lane of the suspects. `spent` as below: then the device, if it still has the token, is one of them.
   */
  | {
      readonly state: 'held';
      readonly reason: string;
      readonly token: string;
      readonly retryInMs: number;
      readonly spent: boolean;
    }
  /** `spent`: whether this try counts as one. A push that a paused route sent back was not spent. */
  | { readonly state: 'pending'; readonly reason: string; readonly retryInMs: number; readonly spent: boolean };

export interface SettleArgs {
  readonly claimId: ClaimId;
  /** `index`: the target's place in the batch. `linksLost`: its event had links that were no longer there. */
  readonly verdicts: readonly {
    readonly index: number;
    readonly verdict: Verdict;
    readonly fitted: boolean;
    readonly linksLost: boolean;
  }[];
  readonly isCareful?: boolean;
}

/**
 * `isPressing`: an import or a deletion is not at its end yet. `isTooLarge`: the database is above its largest size,
 * and nothing more of it may go.
 */
export interface PruneAnswer {
  readonly done: boolean;
  readonly isPressing: boolean;
  readonly isTooLarge: boolean;
}

export interface QueueDepth {
  readonly route: Route;
  readonly lane: Lane;
  /** Devices still to be reached by open fan-outs, an upper bound. */
  readonly waiting: number;
  readonly deferred: number;
}

/** `sinceMs`: Unix time. */
export interface OperatorPause {
  readonly route: Route;
  readonly sinceMs: number;
}

/** For how long a lane has had something to send and did not. */
export interface QueueAge {
  readonly route: Route;
  readonly lane: Lane;
  readonly ageMs: number;
}
