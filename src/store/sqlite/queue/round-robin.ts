import { LANES, ROUTES } from '../../../push.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { type LaneKey, readyWorkspaces } from './ready.ts';

/**
 * Finds both minima by one index seek, however long the queue. In all queue statements, a `+` before a parameter hides
 * its value from SQLite's planner. Otherwise each run recompiles the statement, ten times its own cost.
 */
const NEXT_WORKSPACE = `
  SELECT min(id) AS id FROM (
    SELECT min(workspace_id) AS id FROM fan_out WHERE route = +:route AND lane = +:lane AND workspace_id > +:after
    UNION ALL
    SELECT min(workspace_id) FROM delivery
    WHERE state = 'pending' AND route = +:route AND lane = +:lane AND workspace_id > +:after
  )`;

/** While a former member's devices are removed, the workspace waits: claims cannot tell owners. */
const IS_ACTIVE = `
  SELECT status = 'active' AND NOT EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = workspace.id)
  FROM workspace WHERE id = ?`;

/** A workspace's sources of pushes: new events, partly sent events, and retries. */
export type Source = 'new' | 'begun' | 'retries';

export interface WorkspaceTurn {
  /** Every fan-out up to this event is all out, or in `begun`. */
  seenTo: number;
  /** Events with pages that are not out, by turn. */
  readonly begun: Set<number>;
  /** Turns so far. */
  count: number;
}

/** Decides whose turn it is. In memory, so restarts reset the order. */
export function roundRobinOf(db: Db, hooks: Pick<TransactionHooks, 'onRollback'>) {
  const nextWorkspace = db.prepare<unknown[], { id: number | null }>(NEXT_WORKSPACE);
  const isActive = db.prepare<[number], 0 | 1>(IS_ACTIVE).pluck();
  const workspaces = new Map<string, WorkspaceTurn>();

  function* waiting({ route, lane }: LaneKey, after: number): Generator<number> {
    let id = nextWorkspace.get({ route, lane, after })?.id;
    while (id != null) {
      yield id;
      id = nextWorkspace.get({ route, lane, after: id })?.id;
    }
  }

  return {
    /** Workspaces that may have something to send here. */
    ready: readyWorkspaces(db, hooks, (key) => waiting(key, 0)),

    /** Whether the workspace's pushes go out now; undefined: it is gone. */
    isActive(workspaceId: number): boolean | undefined {
      const active = isActive.get(workspaceId);
      return active === undefined ? undefined : active === 1;
    },

    of({ route, lane }: LaneKey, workspaceId: number): WorkspaceTurn {
      const name = `${route} ${lane} ${workspaceId}`;
      const known = workspaces.get(name) ?? { seenTo: 0, begun: new Set(), count: 0 };
      workspaces.set(name, known);
      return known;
    },

    /** A workspace's sources in the order of its next turn: fresh pushes and retries alternate. */
    sources(turn: WorkspaceTurn): readonly Source[] {
      const { count } = turn;
      turn.count += 1;
      const fresh: Source[] = count % 4 < 2 ? ['new', 'begun'] : ['begun', 'new'];
      return count % 2 === 0 ? [...fresh, 'retries'] : ['retries', ...fresh];
    },

    /** All workspaces with work here, also suspended. */
    allWorkspaces: (key: LaneKey): Generator<number> => waiting(key, 0),

    /** Active workspaces with work here. */
    *activeWorkspaces(key: LaneKey): Generator<number> {
      for (const id of waiting(key, 0)) if (isActive.get(id) === 1) yield id;
    },
  };
}
export type RoundRobin = ReturnType<typeof roundRobinOf>;

export function everyLane(): LaneKey[] {
  return ROUTES.flatMap((route) => LANES.map((lane) => ({ route, lane })));
}
