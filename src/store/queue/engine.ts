import type { Uuid } from '../../contract/public-id.ts';
import type { Moment } from '../../process/clock.ts';
import type { Lane, Route } from '../../push.ts';
import type { Awaitable } from '../sql.ts';
import type { ClaimedPart, EventKey, FanOutKey, Page } from './fan-out-pages.ts';
import type { EventHead, RetryRow, TargetRow } from './targets.ts';
import type { Line, QueueVerdict } from './verdicts.ts';

export interface LaneKey {
  readonly route: Route;
  readonly lane: Lane;
}

/** An event's way through the subscriptions of a route: those behind `cursor`, up to `last`. */
export interface FanOut extends FanOutKey {
  readonly channelId: number;
  readonly cursor: number;
  readonly last: number;
  /** Targets that are not recorded, an upper bound. */
  readonly left: number;
}

/** A push that is tried again. */
export interface Retry {
  readonly eventId: number;
  readonly deviceId: number;
  readonly dueAt: number;
}

/** Targets to read: a page of a fan-out, or retries of an event. */
export type Asked =
  | { readonly fanOut: FanOut; readonly page: Page; readonly most: number }
  | { readonly key: EventKey; readonly deviceIds: readonly number[] };

/**
 * `head` undefined: event, channel or workspace was deleted. Expired pages are not read. `isHeld`: the workspace may not
 * send now. `isGone`: the work is not this process's any more.
 */
export type Answered = { readonly isHeld?: true; readonly isGone?: true } & (
  | { readonly head: EventHead | undefined; readonly rows: readonly (TargetRow & { readonly number: number })[] }
  | { readonly head: EventHead | undefined; readonly retries: readonly RetryRow[] }
);

/** An event's verdicts on a route, and their effect on its fan-out. */
export interface Recorded {
  readonly of: EventKey & Pick<ClaimedPart, 'fanOutId' | 'channelId'>;
  readonly lines: readonly Line[];
  /**
   * null: retries. `settledTo`: recorded without a gap. If it ends, unreached targets count as `end`, or as the engine finds
   * the event.
   */
  readonly fanOut: { readonly settledTo: number; readonly isEnded: boolean; readonly end?: QueueVerdict } | null;
}

/**
 * The queue's primitives. The first five read this process's own work: everything that waits (SQLite), or what this node
 * owns (PostgreSQL).
 */
export interface QueueEngine {
  /** Workspaces with work in a lane, also suspended ones. */
  workspaces(lane: LaneKey): Iterable<number>;
  /** Whether the workspace's pushes go out now; undefined: it is gone. */
  isActive(workspaceId: number): boolean | undefined;
  /** A workspace's open fan-outs behind an event, by acceptance, except those that come as `begun` (turns.ts). */
  fanOuts(lane: LaneKey, workspaceId: number, after: number): Iterable<FanOut>;
  /** Undefined once ended. */
  fanOut(lane: LaneKey, workspaceId: number, fanOutId: number): FanOut | undefined;
  /** The retries that are due first. `dueBy` null: at any time. */
  retries(lane: LaneKey, workspaceId: number, dueBy: number | null, most: number): readonly Retry[];

  /** Reads targets, in the order of what is asked. */
  targetsOf(asked: readonly Asked[], now: Moment): Awaitable<readonly Answered[]>;
  /** The most targets that one `targetsOf` is asked for. */
  readonly targetsTogether: number;
  /** The most claimed parts that one `record` is asked for. */
  readonly partsTogether: number;
  /** Records verdicts. `finished`: UUIDs of events without pending pushes. `rows`: written ones. */
  record(records: readonly Recorded[], now: Moment): Awaitable<{ readonly finished: readonly Uuid[]; rows: number }>;
  /** Deletes a deleted event's retries. */
  forget(eventId: number, deviceIds: readonly number[]): Awaitable<void>;

  /**
   * Makes a dead letter of an event on a route. Moves its fan-out and some of its retries: the others are sent, or fail in
   * turn. Returns how many rows it changed.
   */
  addDeadLetter(key: EventKey, reason: string, wallMs: number): Awaitable<number>;

  /** Executes part of a call. If it throws, undoes it, also in memory, and returns the error instead. */
  attempt<T>(part: () => Awaitable<T>): Awaitable<{ readonly done: T } | { readonly error: unknown }>;
  /** Registers how to undo the running call's change in memory. */
  onRollback(undo: () => void): void;
}
