import type { Lane, PushEvent, Route, Target } from '../../push.ts';
import { call } from '../call.ts';
import type { StoredStatus } from '../stored-status.ts';

/** Calls for working off the queue, by the store's clock: server and store exchange durations, never times. */
export const QUEUE_CALLS = {
  // With `isCareful`, an event whose part of the work throws becomes a dead letter, and the others go on. It costs a savepoint
  // an event, so it is for a call that has thrown without.
  /**
   * At most `limit` targets, in the order in which they should go out, in batches of `batchSize`; the last may be
   * smaller.
   */
  claimBatches: call<{ route: Route; lane: Lane; limit: number; batchSize: number; isCareful?: boolean }, ClaimAnswer>({
    internal: true,
    isFollowUp: true,
    isSentAtOnce: true,
  }),
  /**
   * Records verdicts of a claim, of all its targets or of some; the others stay claimed. Of a claim that is not the
   * caller's any more nothing is recorded. `finished`: public ids of events that have nothing left to send on any
   * route; their links may go. If `more`, not all is recorded: call again with the same verdicts.
   */
  settleBatch: call<SettleArgs, { finished: readonly string[]; more?: true }>({ internal: true, isFollowUp: true }),
  /** Gives a claim back untouched: nothing of it was sent. One that is not the caller's any more stays as it is. */
  releaseBatch: call<{ claimId: ClaimId }, null>({ internal: true, isFollowUp: true }),
  /** Ends what outlived its event's time to live; call again while `more`. */
  expireOverdue: call<{ isCareful?: boolean }, { finished: readonly string[]; more: boolean }>({
    internal: true,
    isFollowUp: true,
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

/** The queue's data of a claimed event. `channelId` null: a test push to one device. */
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
 * Claimed pushes that may no longer be sent: of a workspace, to a device, from a channel, of an event; null: any. A
 * device has lost its right to a push or has another address, a workspace is suspended, or an event was taken back. It
 * is reported before the call that caused it is answered. Claims with an order beyond `upTo` were made after it, and
 * judged by it.
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
  /** How long until the next deferred push of this route and lane is due; null: none waits, or the limit came first. */
  readonly nextDueInMs: number | null;
  /** Public ids of events that ended here without a send (expired, or all their devices withdrawn). */
  readonly finished: readonly string[];
}

export type Verdict =
  /**
   * `token`: the device, if it still has it, is known from now on as accepted once, and is no longer quarantined.
   * `isAwaited`: the device is asked to report that it has shown the push.
   */
  | { readonly state: 'accepted'; readonly token?: string; readonly keptS?: number; readonly isAwaited?: true }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'expired'; readonly reason: string }
  /**
   * `token` and `atMs` guard the device: it is deactivated only if it still has this token and did not register since
   * (null: since the claim).
   */
  | { readonly state: 'unregistered'; readonly reason: string; readonly token: string; readonly atMs: number | null }
  /**
   * Pending, in the lane of quarantined devices. `spent` as below: then the device, if it still has the token, is one of them.
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
  /** `index`: the target's place in the batch. `linksLost`: its event had links or `data` that were no longer there. */
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

/** How long a lane has had something to send and did not. */
export interface QueueAge {
  readonly route: Route;
  readonly lane: Lane;
  readonly ageMs: number;
}
