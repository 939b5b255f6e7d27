import type { Lane, PushEvent, Route, Target } from '../../push.ts';
import { call } from '../call.ts';
import type { StoredStatus } from '../stored-status.ts';

/** The queue's calls: server and store exchange durations, never times. */
export const QUEUE_CALLS = {
  // `isCareful`: an event whose part of the work throws becomes a dead letter, and the others go on. This costs a
  // savepoint per event, so it is for a call that has thrown without it.
  /** Claims up to `limit` targets in sending order, in batches of `batchSize` or fewer. */
  claimBatches: call<{ route: Route; lane: Lane; limit: number; batchSize: number; isCareful?: boolean }, ClaimAnswer>({
    internal: true,
    isFollowUp: true,
    isSentAtOnce: true,
  }),
  /**
   * Records verdicts of some or all targets of a claim; others stay claimed. Nothing is recorded of a claim no longer
   * the caller's. `finished`: public ids of events with nothing left to send on any route; their links may go. `more`:
   * not all is recorded; repeat with the same verdicts.
   */
  settleBatch: call<SettleArgs, { finished: readonly string[]; more?: true }>({ internal: true, isFollowUp: true }),
  /** Releases a claim of which nothing was sent. A claim that is no longer the caller's stays as it is. */
  releaseBatch: call<{ claimId: ClaimId }, null>({ internal: true, isFollowUp: true }),
  /** Ends expired pushes; repeat while `more`. */
  expireOverdue: call<{ isCareful?: boolean }, { finished: readonly string[]; more: boolean }>({
    internal: true,
    isFollowUp: true,
  }),
  listPauses: call<Record<string, never>, readonly OperatorPause[]>({ reads: true, internal: true }),
  /**
   * Removes some rows that are older than they should be kept; call again until `done`. `passedMs`: time since the last
   * step of this server.
   */
  pruneStep: call<{ passedMs?: number }, PruneAnswer>({ internal: true, isStep: true }),
  queueDepth: call<Record<string, never>, readonly QueueDepth[]>({ reads: true, offThread: true }),
  readStatus: call<Record<string, never>, StoredStatus>({ reads: true, internal: true, offThread: true }),
  /** Lanes without work are omitted. */
  queueAge: call<Record<string, never>, readonly QueueAge[]>({ reads: true }),
};

/** A claimed event's queue data. `channelId` null: a test push. */
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
 * A part of the queue, handed out for sending. Targets stay claimed until settled, or the process ends. `order` grows
 * per claim.
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
 * Claimed pushes that may no longer be sent: of a workspace, to a device, from a channel, of an event; null: any. A
 * revocation is reported before the call that caused it is answered. Claims with an order beyond `upTo` were made
 * later, and already respect it.
 */
export interface Revocation {
  readonly workspaceId: number | null;
  readonly deviceId: number | null;
  readonly channelId: number | null;
  readonly eventId: number | null;
  readonly upTo: number;
}

export interface ClaimAnswer {
  readonly claims: readonly Claim[];
  /** Time to the lane's next deferred push; null: none, or the limit came first. */
  readonly nextDueInMs: number | null;
  /** Public ids of events that ended here unsent (expired or withdrawn). */
  readonly finished: readonly string[];
}

export type Verdict =
  /**
   * `token`: a device that still has it counts as accepted once, and not as quarantined. `isAwaited`: the device should
   * report showing the push.
   */
  | { readonly state: 'accepted'; readonly token?: string; readonly keptS?: number; readonly isAwaited?: true }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'expired'; readonly reason: string }
  /**
   * `token`, `atMs`: the device is deactivated only if it kept this token and has not registered since (null: since the
   * claim).
   */
  | { readonly state: 'unregistered'; readonly reason: string; readonly token: string; readonly atMs: number | null }
  /** Pending, in the quarantine lane. If `spent` (see below), the device is quarantined if it still has the token. */
  | {
      readonly state: 'held';
      readonly reason: string;
      readonly token: string;
      readonly retryInMs: number;
      readonly spent: boolean;
    }
  /** `spent`: whether this attempt counts, unlike pushes returned by a paused route. */
  | { readonly state: 'pending'; readonly reason: string; readonly retryInMs: number; readonly spent: boolean };

export interface SettleArgs {
  readonly claimId: ClaimId;
  /** `index`: place in the batch. `linksLost`: the event's links or `data` were lost. */
  readonly verdicts: readonly {
    readonly index: number;
    readonly verdict: Verdict;
    readonly fitted: boolean;
    readonly linksLost: boolean;
  }[];
  readonly isCareful?: boolean;
}

/**
 * `isPressing`: an import or deletion is unfinished. `isTooLarge`: the database is above its largest size, and nothing
 * more can be removed from it. `isHeld`: only time at work makes rows old, since the clock was set
 * forward.
 */
export interface PruneAnswer {
  readonly done: boolean;
  readonly isPressing: boolean;
  readonly isTooLarge: boolean;
  readonly isHeld: boolean;
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

/** How long a lane has had something to send without sending it. */
export interface QueueAge {
  readonly route: Route;
  readonly lane: Lane;
  readonly ageMs: number;
}
