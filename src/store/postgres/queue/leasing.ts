import type { Moment } from '../../../process/clock.ts';
import type { Lane, Route } from '../../../push.ts';
import type { ArgsOf } from '../../calls.ts';
import type { LaneKey } from '../../queue/engine.ts';
import { ConnectionLost } from '../errors.ts';
import { askOfQueue, type QueueDeps } from './deps.ts';
import type { LeasedRow } from './leased-work.ts';
import { LeaseTurns } from './turns.ts';

const LEASE =
  'SELECT leased, due_at AS "dueAtMs", now_ms AS "nowMs" FROM lease_lane($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';
const OWNED = 'SELECT * FROM owned_work($1)';
const RELEASE = 'SELECT release_work($1, $2)';

/** Targets of a fan-out that one node works on at a time: larger ones are shared. */
export const STRETCH = 2_000;
/** Fan-outs in memory. More events stay free, so that other nodes can send them. */
const MOST_OWNED = 2_000;
/** Targets, and retries, per statement: others wait for their locks. */
const MOST_LEASED = 1_000;
/** Work that another node freed without a notice is found after this time. */
const LOOK_EVERY_MS = 1_000;
/** After this wait, transactions locking a free row should have ended. */
const UNLOCKED_MS = 5;
/** Work that waits longer in memory is freed if other nodes can send it: this one is slow, or its route is paused. */
const IDLE_MS = 5_000;
/** Fan-outs and retries per statement. */
const MOST_RELEASED = 500;
/** How long an unanswered statement may still lease work. */
const UNCERTAIN_MS = 60_000;
/** After this time, a transaction has committed or failed. */
const CERTAIN_MS = 20_000;
/** Now and then, owned work is compared in any case. */
const COMPARE_EVERY_MS = 600_000;

interface Lease {
  readonly leased: readonly LeasedRow[] | null;
  /** When the next free retry is due; null: none waits. */
  readonly dueAtMs: number | null;
  readonly nowMs: number;
}

/** Work that a lease may add to the memory. */
interface Room {
  readonly targets: number;
  readonly retries: number;
  /** Workspaces that fill the memory: none of their events are leased. */
  readonly passedOver: readonly number[];
}

const NONE = { targets: 0, passedOver: [] } as const;

/** Work of a lane that may be free. */
interface LaneState {
  mayHaveFanOuts: boolean;
  mayHaveRetries: boolean;
  /** The next claim is for work that this node owns since its acceptance. */
  isForOwn: boolean;
  lookedAtMs: number;
  /** When other workspaces' events were leased beside a full memory. */
  lookedAsideAtMs: number;
  /** When the first free retry is due, by the database's clock; null: none. */
  dueAtMs: number | null;
}

/** Leases work to this node, so that claims find it in memory. */
export class Leasing {
  readonly #deps: QueueDeps;
  readonly #turns = new LeaseTurns();
  readonly #lanes = new Map<string, LaneState>();
  #uncertainSinceMs = Number.NEGATIVE_INFINITY;
  #comparedAtMs = Number.NEGATIVE_INFINITY;
  /** Found by the last comparison: the answer to their acceptance may be on its way. */
  #compared = new Set<string>();
  /** The database's clock minus this process's, at most. */
  #aheadMs = 0;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** The database's time, or slightly before. */
  get now(): Moment {
    const nowMs = Math.floor(performance.now() + this.#aheadMs);
    return this.#deps.now() ?? { wallMs: nowMs, steadyMs: nowMs };
  }

  noteTime(databaseMs: number): void {
    this.#aheadMs = databaseMs - performance.now();
  }

  /** Something may be free in these lanes; undefined: in all. */
  noteFree(lane?: LaneKey): void {
    for (const [name, state] of this.#lanes) if (!lane || name === nameOf(lane)) markFree(state);
  }

  /** The answer to a statement is lost, which may have leased work. */
  becameUncertain(): void {
    this.#uncertainSinceMs = performance.now();
    this.#comparedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Finds work again that may still be owned, once that is certain. */
  compareSoon(): void {
    this.#comparedAtMs = Math.min(this.#comparedAtMs, performance.now() - COMPARE_EVERY_MS + CERTAIN_MS);
  }

  /** The most targets of a new fan-out that this node owns at once. */
  get ownUpTo(): number {
    return this.#deps.leased.countFanOuts() < MOST_OWNED ? STRETCH : 0;
  }

  /** Adds what this node owns since its acceptance. */
  addOwn(rows: readonly LeasedRow[]): void {
    const isNew = (row: LeasedRow) => !this.#compared.delete(rowName(row));
    this.add(rows.filter(isNew));
    for (const row of rows) this.#stateOf(row).isForOwn = true;
  }

  /** Adds leased rows to the memory. */
  add(rows: readonly LeasedRow[]): void {
    const { leased, turns } = this.#deps;
    for (const row of rows) {
      if (!isFound(row)) continue;
      const fanOut = leased.add(row);
      if (fanOut) turns.of(fanOut, fanOut.workspaceId).begun.add(fanOut.fanOutId);
      turns.wake(row, row.workspace_id);
    }
  }

  /**
   * Finds owned work that the memory lacks, because the answer to its lease is lost. Call it before claims, while nothing
   * is recorded. `isEnding`: its work was let go.
   */
  async compare(isEnding: (eventId: number) => boolean): Promise<void> {
    const nowMs = performance.now();
    const { rows } = await askOfQueue(this.#deps, OWNED, [this.#deps.node]);
    const missing = (rows as readonly LeasedRow[]).filter(
      (row) => isFound(row) && !this.#deps.leased.has(row) && !isEnding(row.event_id),
    );
    this.#compared = new Set(missing.map(rowName));
    this.add(missing);
    this.#comparedAtMs = nowMs;
  }

  /** Whether it is time to compare. */
  get shouldCompare(): boolean {
    const nowMs = performance.now();
    const everyMs = nowMs < this.#uncertainSinceMs + UNCERTAIN_MS ? LOOK_EVERY_MS : COMPARE_EVERY_MS;
    return nowMs >= this.#comparedAtMs + everyMs;
  }

  /** Leases until a claim finds enough. Returns in how many ms more may be free; null: unknown. */
  async leaseFor(asked: ArgsOf<'claimBatches'>): Promise<number | null> {
    const { limit, batchSize, ...lane } = asked;
    const state = this.#stateOf(lane);
    const room = this.#roomFor(lane, state, Math.min(limit, MOST_LEASED), batchSize);
    // Null if retries are due now: the memory has enough of them.
    if (room.targets + room.retries === 0) return this.#untilDue(state) || null;
    // Events that no lease looks for may be free all the same.
    if (room.targets > 0 && room.passedOver.length === 0) state.mayHaveFanOuts = false;
    if (room.retries > 0) state.mayHaveRetries = false;
    try {
      const rows = await this.#lease(lane, state, room, batchSize);
      const isLocked = !rows.every(isFound);
      state.mayHaveFanOuts ||= isLocked || isFull(rows, false, room.targets);
      state.mayHaveRetries ||= isLocked || isFull(rows, true, room.retries);
      return isLocked ? UNLOCKED_MS : this.#untilDue(state);
    } catch (error) {
      markFree(state);
      if (error instanceof ConnectionLost) this.becameUncertain();
      throw error;
    }
  }

  /**
   * Frees some of the dead letters, and of the work that this node does not get to if others can send it. Returns whether
   * there is more.
   */
  async releaseIdle(hasOthers: boolean): Promise<boolean> {
    const { leased, claims, node } = this.#deps;
    const before = hasOthers ? performance.now() - IDLE_MS : Number.NEGATIVE_INFINITY;
    const fanOuts = leased
      .fanOutsBefore(before)
      .filter((fanOut) => !fanOut.isBeingRecorded && !claims.pages.isOut(fanOut))
      .slice(0, MOST_RELEASED);
    const retries = leased
      .retriesBefore(before)
      .filter(({ eventId, deviceId }) => !claims.isClaimedRetry(eventId, deviceId))
      .slice(0, MOST_RELEASED - fanOuts.length);
    if (fanOuts.length + retries.length === 0) return false;
    for (const fanOut of fanOuts) {
      claims.pages.forget(fanOut);
      leased.removeFanOut(fanOut);
    }
    for (const { eventId, deviceId } of retries) leased.removeRetry(eventId, deviceId);
    this.compareSoon();
    const rows = [
      ...fanOuts.map(({ eventId: event_id, route, start }) => ({ event_id, route, start })),
      ...retries.map(({ eventId: event_id, deviceId: device_id }) => ({ event_id, device_id })),
    ];
    await askOfQueue(this.#deps, RELEASE, [node, JSON.stringify(rows)]);
    return rows.length === MOST_RELEASED;
  }

  async #lease(
    lane: LaneKey,
    state: LaneState,
    { targets, retries, passedOver }: Room,
    share: number,
  ): Promise<readonly LeasedRow[]> {
    const { node, now } = this.#deps;
    const { lastWorkspace, lastEvents } = this.#turns.next(lane.route, lane.lane);
    const order = [share, STRETCH, lastWorkspace, lastEvents, passedOver, now()?.steadyMs ?? null];
    const { rows } = await askOfQueue(this.#deps, LEASE, [node, lane.route, lane.lane, targets, retries, ...order]);
    const [{ leased, dueAtMs, nowMs }] = rows as readonly [Lease];
    this.noteTime(nowMs);
    state.dueAtMs = dueAtMs;
    for (const row of leased ?? []) if (isFound(row)) this.#turns.record(row);
    this.add(leased ?? []);
    return leased ?? [];
  }

  #untilDue({ dueAtMs }: LaneState): number | null {
    return dueAtMs === null ? null : Math.max(0, dueAtMs - this.now.steadyMs);
  }

  /** Returns what the memory lacks, if it may be free. A claim that finds too few fan-outs looks anyway. */
  #roomFor(lane: LaneKey, state: LaneState, most: number, share: number): Room {
    const nowMs = performance.now();
    if (nowMs >= state.lookedAtMs + LOOK_EVERY_MS) {
      markFree(state);
      state.lookedAtMs = nowMs;
    }
    const { mayHaveFanOuts, mayHaveRetries, isForOwn } = state;
    state.isForOwn = false;
    const ofFanOuts = isForOwn && !mayHaveFanOuts ? NONE : this.#roomForFanOuts(lane, state, most, share);
    const looksForRetries = mayHaveRetries || ofFanOuts.targets > 0 || this.#untilDue(state) === 0;
    return { ...ofFanOuts, retries: looksForRetries ? Math.max(0, most - this.#waitingRetries(lane)) : 0 };
  }

  /**
   * A node owns much of what it accepts. If a few workspaces' events fill its memory, it leases those of others all the
   * same, now and then: claims take turns.
   */
  #roomForFanOuts(lane: LaneKey, state: LaneState, most: number, share: number): Omit<Room, 'retries'> {
    const waiting = this.#waitingTargets(lane, most);
    const nowMs = performance.now();
    if (waiting < most) return { targets: most - waiting, passedOver: [] };
    if (nowMs < state.lookedAsideAtMs + LOOK_EVERY_MS) return NONE;
    state.lookedAsideAtMs = nowMs;
    const isFilling = (workspaceId: number) => this.#targetsOf(lane, workspaceId, share) >= share;
    return { targets: MOST_LEASED, passedOver: [...this.#deps.leased.workspaces(lane)].filter(isFilling) };
  }

  /** Targets of fan-outs in memory that can be claimed, up to `most`. */
  #waitingTargets(lane: LaneKey, most: number): number {
    const { leased } = this.#deps;
    let sum = 0;
    for (const workspaceId of leased.workspaces(lane)) {
      if (!leased.held.has(workspaceId)) sum += this.#targetsOf(lane, workspaceId, most - sum);
      if (sum >= most) return most;
    }
    return sum;
  }

  #targetsOf(lane: LaneKey, workspaceId: number, most: number): number {
    const { leased, claims, turns } = this.#deps;
    let sum = 0;
    for (const fanOutId of turns.of(lane, workspaceId).begun) {
      const fanOut = leased.fanOut(lane, workspaceId, fanOutId);
      if (fanOut && !fanOut.isDead) sum += Math.max(1, fanOut.left - claims.pages.targetsOut(fanOut));
      if (sum >= most) return most;
    }
    return sum;
  }

  #waitingRetries(lane: LaneKey): number {
    const { leased, claims } = this.#deps;
    return Math.max(0, leased.countRetries(lane) - claims.claimedRetries);
  }

  #stateOf(lane: LaneKey): LaneState {
    const known = this.#lanes.get(nameOf(lane)) ?? {
      mayHaveFanOuts: true,
      mayHaveRetries: true,
      isForOwn: false,
      lookedAtMs: 0,
      lookedAsideAtMs: 0,
      dueAtMs: null,
    };
    this.#lanes.set(nameOf(lane), known);
    return known;
  }
}

function markFree(state: LaneState): void {
  state.mayHaveFanOuts = true;
  state.mayHaveRetries = true;
}

/** Whether more may be free than was leased. */
function isFull(rows: readonly LeasedRow[], isOfRetries: boolean, most: number): boolean {
  const found = rows.filter((row) => isFound(row) && (row.device_id !== null) === isOfRetries);
  return most > 0 && found.reduce((sum, { left_over: left }) => sum + left, 0) >= most;
}

function isFound(row: LeasedRow): row is LeasedRow & { readonly event_id: number } {
  return row.event_id !== null;
}

function rowName({ route, event_id, start, device_id }: LeasedRow): string {
  return `${route} ${event_id} ${start} ${device_id}`;
}

function nameOf({ route, lane }: { readonly route: Route; readonly lane: Lane }): string {
  return `${route} ${lane}`;
}
