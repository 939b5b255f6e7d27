import type { Lane, Route } from '../../../push.ts';
import type { Db, TransactionHooks } from '../transaction.ts';

export interface LaneKey {
  readonly route: Route;
  readonly lane: Lane;
}

/** Every way of putting work into the queue runs one of these triggers. */
const TRIGGERS = `
  CREATE TEMP TRIGGER IF NOT EXISTS fan_out_comes AFTER INSERT ON main.fan_out BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS fan_out_comes_back AFTER UPDATE OF lane ON main.fan_out BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS retry_comes AFTER INSERT ON main.delivery WHEN new.state = 'pending' BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS retry_changes AFTER UPDATE OF state, lane, due_at ON main.delivery
  WHEN new.state = 'pending' BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END`;

/** The workspaces of one lane that may have something to send, in the order of their turns. */
class ReadyWorkspaces {
  readonly #ready: Set<number>;
  /** When the first retry of a workspace falls due that has nothing else to send. */
  readonly #dueAtMs = new Map<number, number>();

  constructor(workspaceIds: Iterable<number>) {
    this.#ready = new Set(workspaceIds);
  }

  /** Behind all others whose turn it is. */
  wake(workspaceId: number): void {
    this.#dueAtMs.delete(workspaceId);
    this.#ready.add(workspaceId);
  }

  /** It has nothing to send before that time; null: before it is woken. */
  restUntil(workspaceId: number, dueAtMs: number | null): void {
    if (dueAtMs === null) this.#dueAtMs.delete(workspaceId);
    else this.#dueAtMs.set(workspaceId, dueAtMs);
  }

  /** Wakes those whose retries have fallen due. */
  wakeDue(steadyMs: number): void {
    for (const [workspaceId, dueAtMs] of this.#dueAtMs) if (dueAtMs <= steadyMs) this.wake(workspaceId);
  }

  /** Takes the one whose turn it is. */
  shift(): number | undefined {
    const [first] = this.#ready;
    if (first !== undefined) this.#ready.delete(first);
    return first;
  }

  /** When the next one is woken by a retry of its own; null: none. */
  nextDueMs(): number | null {
    let earliest: number | null = null;
    for (const dueAtMs of this.#dueAtMs.values()) if (earliest === null || dueAtMs < earliest) earliest = dueAtMs;
    return earliest;
  }
}

/**
 * The workspaces that may have something to send, by lane. Kept in memory: asking the database about every workspace
 * with pushes in flight would cost a claim more than its targets do. `waiting`: those with something in the lane, to
 * begin with.
 */
export function readyWorkspaces(
  db: Db,
  hooks: Pick<TransactionHooks, 'onRollback'>,
  waiting: (lane: LaneKey) => Iterable<number>,
): (lane: LaneKey) => ReadyWorkspaces {
  const lanes = new Map<string, ReadyWorkspaces>();
  // A lane that was not claimed from yet is filled by its first claim.
  db.function('wake', (route: string, lane: string, workspaceId: number) => {
    lanes.get(`${route} ${lane}`)?.wake(workspaceId);
    return null;
  });
  db.exec(TRIGGERS);
  return ({ route, lane }) => {
    const name = `${route} ${lane}`;
    const known = lanes.get(name);
    if (known) return known;
    const ready = new ReadyWorkspaces(waiting({ route, lane }));
    lanes.set(name, ready);
    // A transaction that is rolled back may have hidden workspaces: the next claim reads them again.
    hooks.onRollback(() => lanes.delete(name));
    return ready;
  };
}
