import type { Lane, Route } from '../../../push.ts';
import type { FanOut, LaneKey, Retry } from '../../queue/engine.ts';

/** A stretch of a fan-out that this node owns. */
export interface LeasedFanOut extends FanOut {
  readonly start: number;
  readonly home: number;
  /** Everything up to it is recorded. */
  cursor: number;
  left: number;
  /** How often its owners recorded. */
  records: number;
  /** When it came, by `performance.now()`. */
  readonly sinceMs: number;
  isBeingRecorded: boolean;
  /** A dead letter: only what is in flight is recorded. Then it is freed. */
  isDead: boolean;
}

/** A due retry that this node owns. */
export interface LeasedRetry extends Retry {
  readonly route: Route;
  readonly lane: Lane;
  readonly workspaceId: number;
  readonly home: number;
  readonly sinceMs: number;
}

/** A row of the type `leased_work`. Without an event: locked rows. */
export interface LeasedRow {
  readonly workspace_id: number;
  readonly event_id: number | null;
  readonly route: Route;
  readonly lane: Lane;
  readonly home: number;
  readonly channel_id: number;
  readonly start: number;
  readonly cursor: number;
  readonly last: number;
  readonly left_over: number;
  readonly records: number;
  readonly device_id: number | null;
  readonly due_at: number;
}

interface OfWorkspace {
  readonly fanOuts: Map<number, LeasedFanOut>;
  /** Sorted by due time. */
  readonly retries: LeasedRetry[];
}

/** Keeps the work that this node owns. Only it changes these rows until it is evicted. */
export class LeasedWork {
  readonly #lanes = new Map<string, Map<number, OfWorkspace>>();
  readonly #fanOuts = new Map<string, LeasedFanOut>();
  readonly #retries = new Map<string, LeasedRetry>();
  /** Workspaces that might not send when their work was last read. */
  readonly held = new Set<number>();
  #lastId = 0;

  /** Adds a row. Returns the new fan-out; null: a retry, or known. */
  add(row: LeasedRow & { readonly event_id: number }): LeasedFanOut | null {
    const { workspace_id: workspaceId, event_id: eventId, route, lane, home, device_id: deviceId } = row;
    const key = { route, lane, workspaceId, eventId };
    const sinceMs = performance.now();
    if (deviceId !== null) {
      this.addRetry({ ...key, home, deviceId, dueAt: row.due_at, sinceMs });
      return null;
    }
    const { channel_id: channelId, start, cursor, last, left_over: left, records } = row;
    const name = nameOf(route, eventId, start);
    if (this.#fanOuts.has(name)) return null;
    this.#lastId += 1;
    const fanOut = {
      ...key,
      fanOutId: this.#lastId,
      channelId,
      start,
      home,
      cursor,
      last,
      left,
      records,
      sinceMs,
      isBeingRecorded: false,
      isDead: false,
    };
    this.addFanOut(fanOut);
    return fanOut;
  }

  addFanOut(fanOut: LeasedFanOut): void {
    const name = nameOf(fanOut.route, fanOut.eventId, fanOut.start);
    if (this.#fanOuts.has(name)) return;
    this.#fanOuts.set(name, fanOut);
    this.#of(fanOut, fanOut.workspaceId).fanOuts.set(fanOut.fanOutId, fanOut);
  }

  addRetry(retry: LeasedRetry): void {
    const name = `${retry.eventId} ${retry.deviceId}`;
    if (this.#retries.has(name)) return;
    this.#retries.set(name, retry);
    const { retries } = this.#of(retry, retry.workspaceId);
    retries.splice(placeBehind(retries, retry.dueAt), 0, retry);
  }

  /** Workspaces with work in a lane. */
  workspaces(lane: LaneKey): Iterable<number> {
    return this.#lanes.get(laneName(lane))?.keys() ?? [];
  }

  fanOut(lane: LaneKey, workspaceId: number, fanOutId: number): LeasedFanOut | undefined {
    return this.#lanes.get(laneName(lane))?.get(workspaceId)?.fanOuts.get(fanOutId);
  }

  /** A workspace's first retries due by then. */
  retries(lane: LaneKey, workspaceId: number, dueBy: number | null, most: number): readonly LeasedRetry[] {
    const { retries = [] } = this.#lanes.get(laneName(lane))?.get(workspaceId) ?? {};
    const end = dueBy === null ? retries.length : placeBehind(retries, dueBy);
    return retries.slice(0, Math.min(end, most));
  }

  retry(eventId: number, deviceId: number): LeasedRetry | undefined {
    return this.#retries.get(`${eventId} ${deviceId}`);
  }

  has({ route, event_id: eventId, start, device_id: deviceId }: LeasedRow): boolean {
    if (eventId === null) return false;
    return deviceId === null
      ? this.#fanOuts.has(nameOf(route, eventId, start))
      : this.retry(eventId, deviceId) !== undefined;
  }

  /** Returns the stretch that begins there. */
  stretch({
    route,
    event_id: eventId,
    start,
  }: Pick<LeasedRow, 'route' | 'event_id' | 'start'>): LeasedFanOut | undefined {
    return eventId === null ? undefined : this.#fanOuts.get(nameOf(route, eventId, start));
  }

  countFanOuts(): number {
    return this.#fanOuts.size;
  }

  /** Dead letters, and fan-outs that are older, except those whose links this node holds. The oldest come first. */
  fanOutsBefore(ms: number): readonly LeasedFanOut[] {
    return [...this.#fanOuts.values()].filter(({ sinceMs, home, isDead }) => isDead || (sinceMs < ms && home === 0));
  }

  retriesBefore(ms: number): readonly LeasedRetry[] {
    return [...this.#retries.values()].filter(({ sinceMs, home }) => sinceMs < ms && home === 0);
  }

  /** Retries of workspaces that may send. */
  countRetries(lane: LaneKey): number {
    const ofLane = this.#lanes.get(laneName(lane)) ?? [];
    return [...ofLane].reduce((sum, [id, { retries }]) => sum + (this.held.has(id) ? 0 : retries.length), 0);
  }

  /** Returns the owned work of an event. */
  ofEvent(eventId: number): { readonly fanOuts: readonly LeasedFanOut[]; readonly retries: readonly LeasedRetry[] } {
    return {
      fanOuts: [...this.#fanOuts.values()].filter((fanOut) => fanOut.eventId === eventId),
      retries: [...this.#retries.values()].filter((retry) => retry.eventId === eventId),
    };
  }

  removeFanOut(fanOut: LeasedFanOut): void {
    this.#fanOuts.delete(nameOf(fanOut.route, fanOut.eventId, fanOut.start));
    this.#of(fanOut, fanOut.workspaceId).fanOuts.delete(fanOut.fanOutId);
    this.#tidy(fanOut);
  }

  /** Returns the removed one. */
  removeRetry(eventId: number, deviceId: number): LeasedRetry | undefined {
    const retry = this.retry(eventId, deviceId);
    if (!retry) return;
    this.#retries.delete(`${eventId} ${deviceId}`);
    const { retries } = this.#of(retry, retry.workspaceId);
    retries.splice(retries.indexOf(retry), 1);
    this.#tidy(retry);
    return retry;
  }

  clear(): void {
    this.#lanes.clear();
    this.#fanOuts.clear();
    this.#retries.clear();
    this.held.clear();
  }

  #of(lane: LaneKey, workspaceId: number): OfWorkspace {
    const name = laneName(lane);
    const ofLane = this.#lanes.get(name) ?? new Map<number, OfWorkspace>();
    this.#lanes.set(name, ofLane);
    const ofWorkspace = ofLane.get(workspaceId) ?? { fanOuts: new Map(), retries: [] };
    ofLane.set(workspaceId, ofWorkspace);
    return ofWorkspace;
  }

  #tidy({ workspaceId, ...lane }: LaneKey & { readonly workspaceId: number }): void {
    const { fanOuts, retries } = this.#of(lane, workspaceId);
    if (fanOuts.size === 0 && retries.length === 0) this.#lanes.get(laneName(lane))?.delete(workspaceId);
  }
}

/** The place behind all retries due by then. */
function placeBehind(retries: readonly LeasedRetry[], dueBy: number): number {
  let [from, to] = [0, retries.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((retries[middle]?.dueAt ?? 0) <= dueBy) from = middle + 1;
    else to = middle;
  }
  return from;
}

function nameOf(route: Route, eventId: number, start: number): string {
  return `${route} ${eventId} ${start}`;
}

function laneName({ route, lane }: LaneKey): string {
  return `${route} ${lane}`;
}
