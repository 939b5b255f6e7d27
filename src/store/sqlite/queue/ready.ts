import type { Lane, Route } from '../../../push.ts';
import type { Db, TransactionHooks } from '../transaction.ts';

export interface LaneKey {
  readonly route: Route;
  readonly lane: Lane;
}

/** All ways into the queue run one of these triggers. */
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

/**
 * Workspaces that may have something to send, by lane. In memory: asking the database about each would cost more than a
 * claim's targets. `waiting`: the initial ones.
 */
export function readyWorkspaces(
  db: Db,
  hooks: Pick<TransactionHooks, 'onRollback'>,
  waiting: (lane: LaneKey) => Iterable<number>,
): (lane: LaneKey) => ReadyWorkspaces {
  const lanes = new Map<string, ReadyWorkspaces>();
  // A lane's first claim fills it.
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
    // A rolled back transaction may have hidden workspaces: the next claim rereads them.
    hooks.onRollback(() => lanes.delete(name));
    return ready;
  };
}
