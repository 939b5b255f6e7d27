import { LANES, ROUTES } from '../../push.ts';
import type { LaneKey, QueueEngine } from './engine.ts';
import type { ClaimedPart } from './fan-out-pages.ts';

/** A workspace's sources of pushes: new events, partly sent events, and retries. */
export type Source = 'new' | 'begun' | 'retries';

export interface WorkspaceTurn {
  /** Every fan-out up to this event is all out, or in `begun`. */
  seenTo: number;
  /** Fan-outs with pages that are not out, by turn. */
  readonly begun: Set<number>;
  /** Turns so far. */
  count: number;
}

/** A workspace's sources in the order of its next turn: fresh pushes and retries alternate. */
export function nextSources(turn: WorkspaceTurn): readonly Source[] {
  const { count } = turn;
  turn.count += 1;
  const fresh: Source[] = count % 4 < 2 ? ['new', 'begun'] : ['begun', 'new'];
  return count % 2 === 0 ? [...fresh, 'retries'] : ['retries', ...fresh];
}

/**
 * Decides whose turn it is. In memory: asking the database about each workspace would cost more than a claim's targets.
 * A restart resets the order.
 */
export class Turns {
  readonly #engine: Pick<QueueEngine, 'workspaces' | 'onRollback'>;
  readonly #lanes = new Map<string, ReadyWorkspaces>();
  readonly #workspaces = new Map<string, WorkspaceTurn>();

  constructor(engine: Pick<QueueEngine, 'workspaces' | 'onRollback'>) {
    this.#engine = engine;
  }

  /** Workspaces that may have something to send in a lane. Its first claim reads them. */
  ready(lane: LaneKey): ReadyWorkspaces {
    const name = nameOf(lane);
    const known = this.#lanes.get(name);
    if (known) return known;
    const ready = new ReadyWorkspaces(this.#engine.workspaces(lane));
    this.#lanes.set(name, ready);
    // A rolled back transaction may have hidden workspaces: the next claim rereads them.
    this.#engine.onRollback(() => this.#lanes.delete(name));
    return ready;
  }

  of(lane: LaneKey, workspaceId: number): WorkspaceTurn {
    const name = `${nameOf(lane)} ${workspaceId}`;
    const known = this.#workspaces.get(name) ?? { seenTo: 0, begun: new Set(), count: 0 };
    this.#workspaces.set(name, known);
    return known;
  }

  /** The part is claimed again in a next turn. */
  giveBack(part: ClaimedPart): void {
    this.ready(part).wake(part.workspaceId);
    if (part.fanOutId !== null) this.of(part, part.workspaceId).begun.add(part.fanOutId);
  }

  /** Work came into a lane. */
  wake(lane: LaneKey, workspaceId: number): void {
    this.#lanes.get(nameOf(lane))?.wake(workspaceId);
  }
}

/** A lane's workspaces that may have something to send, by turn. */
class ReadyWorkspaces {
  readonly #ready: Set<number>;
  /** The time at which the first retry is due, for each workspace that has nothing else to send. */
  readonly #dueAtMs = new Map<number, number>();

  constructor(workspaceIds: Iterable<number>) {
    this.#ready = new Set(workspaceIds);
  }

  /** Appends it to the turns. */
  wake(workspaceId: number): void {
    this.#dueAtMs.delete(workspaceId);
    this.#ready.add(workspaceId);
  }

  /** It has nothing to send until then; null: until it is woken. */
  restUntil(workspaceId: number, dueAtMs: number | null): void {
    if (dueAtMs === null) this.#dueAtMs.delete(workspaceId);
    else this.#dueAtMs.set(workspaceId, dueAtMs);
  }

  /** Wakes workspaces with due retries. */
  wakeDue(steadyMs: number): void {
    for (const [workspaceId, dueAtMs] of this.#dueAtMs) if (dueAtMs <= steadyMs) this.wake(workspaceId);
  }

  /** Takes the next in turn. */
  shift(): number | undefined {
    const [first] = this.#ready;
    if (first !== undefined) this.#ready.delete(first);
    return first;
  }

  /** The time when its own retry wakes the next one; null: none. */
  nextDueMs(): number | null {
    let earliest: number | null = null;
    for (const dueAtMs of this.#dueAtMs.values()) if (earliest === null || dueAtMs < earliest) earliest = dueAtMs;
    return earliest;
  }
}

export function everyLane(): LaneKey[] {
  return ROUTES.flatMap((route) => LANES.map((lane) => ({ route, lane })));
}

function nameOf({ route, lane }: LaneKey): string {
  return `${route} ${lane}`;
}
