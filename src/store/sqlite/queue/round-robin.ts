import { LANES, ROUTES } from '../../../push.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { type LaneKey, readyWorkspaces } from './ready.ts';

/**
 * Both minima are found by one seek in an index, however long the queue is. Here and in the queue's other statements, a
 * `+` before a parameter hides its value from SQLite's planner. If the planner sees the value, the statement is
 * recompiled at each run, which takes ten times as long as the statement itself.
 */
const NEXT_WORKSPACE = `
  SELECT min(id) AS id FROM (
    SELECT min(workspace_id) AS id FROM fan_out WHERE route = +:route AND lane = +:lane AND workspace_id > +:after
    UNION ALL
    SELECT min(workspace_id) FROM delivery
    WHERE state = 'pending' AND route = +:route AND lane = +:lane AND workspace_id > +:after
  )`;

/** While many devices of a former member are removed, the whole workspace waits: a claim cannot see whose they are. */
const IS_ACTIVE = `
  SELECT status = 'active' AND NOT EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = workspace.id)
  FROM workspace WHERE id = ?`;

/** The three sources of a workspace's pushes: events not yet looked at, events sent in part, and retries. */
export type Source = 'new' | 'begun' | 'retries';

export interface WorkspaceTurn {
  /** Every fan-out up to this event was looked at: it is all out, or among `begun`. */
  seenTo: number;
  /** Events with pages that are not out, in the order in which they take turns. */
  readonly begun: Set<number>;
  /** How many turns it has had. */
  count: number;
}

/** Decides whose turn it is. The order is only in memory, so it starts again after a restart. */
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
    /** The workspaces that may have something to send in this lane. */
    ready: readyWorkspaces(db, hooks, (key) => waiting(key, 0)),

    /** Whether the workspace's pushes go out now, or are held back; undefined: it is gone. */
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

    /** The sources of a workspace in the order of its next turn: fresh pushes and retries come first in turns. */
    sources(turn: WorkspaceTurn): readonly Source[] {
      const { count } = turn;
      turn.count += 1;
      const fresh: Source[] = count % 4 < 2 ? ['new', 'begun'] : ['begun', 'new'];
      return count % 2 === 0 ? [...fresh, 'retries'] : ['retries', ...fresh];
    },

    /** Every workspace with something in this lane, suspended ones too. */
    allWorkspaces: (key: LaneKey): Generator<number> => waiting(key, 0),

    /** The active workspaces with something in this lane. */
    *activeWorkspaces(key: LaneKey): Generator<number> {
      for (const id of waiting(key, 0)) if (isActive.get(id) === 1) yield id;
    },
  };
}
export type RoundRobin = ReturnType<typeof roundRobinOf>;

export function everyLane(): LaneKey[] {
  return ROUTES.flatMap((route) => LANES.map((lane) => ({ route, lane })));
}
