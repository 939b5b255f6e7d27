import { LANES, type Lane, ROUTES, type Route } from '../../push.ts';
import type { Db } from '../handlers.ts';
import type { FanOut, FanOuts } from './fan-outs.ts';

/** Both minima are found by one seek in an index, however long the queue is. */
const NEXT_WORKSPACE = `
  SELECT min(id) AS id FROM (
    SELECT min(workspace_id) AS id FROM fan_out WHERE route = :route AND lane = :lane AND workspace_id > :after
    UNION ALL
    SELECT min(workspace_id) FROM delivery
    WHERE state = 'pending' AND route = :route AND lane = :lane AND workspace_id > :after
  )`;

const IS_ACTIVE = `SELECT 1 FROM workspace WHERE id = ? AND status = 'active'`;

export interface LaneKey {
  readonly route: Route;
  readonly lane: Lane;
}
interface LaneTurn {
  /** The workspace that was served last. */
  workspaceId: number;
}
interface WorkspaceTurn {
  /** The event that was served last. */
  eventId: number;
  retriesNext: boolean;
}

/** Whose turn it is. What was served last is kept in memory only: after a restart everybody starts anew. */
export function turnsOf(db: Db, fresh: Pick<FanOuts, 'next'>) {
  const nextWorkspace = db.prepare<unknown[], { id: number | null }>(NEXT_WORKSPACE);
  const isActive = db.prepare<[number]>(IS_ACTIVE);
  const lanes = new Map<string, LaneTurn>();
  const workspaces = new Map<string, WorkspaceTurn>();

  function* waiting({ route, lane }: LaneKey, after: number): Generator<number> {
    let id = nextWorkspace.get({ route, lane, after })?.id;
    while (id != null) {
      yield id;
      id = nextWorkspace.get({ route, lane, after: id })?.id;
    }
  }

  return {
    ofLane: ({ route, lane }: LaneKey): LaneTurn => entry(lanes, `${route} ${lane}`, { workspaceId: 0 }),

    of: ({ route, lane }: LaneKey, workspaceId: number): WorkspaceTurn =>
      entry(workspaces, `${route} ${lane} ${workspaceId}`, { eventId: 0, retriesNext: false }),

    /** Every workspace with something in this lane, suspended ones too. */
    allWorkspaces: (key: LaneKey): Generator<number> => waiting(key, 0),

    /** The active workspaces with something in this lane, once around, beginning behind `after`. */
    *workspaces(key: LaneKey, after: number): Generator<number> {
      for (const id of waiting(key, after)) if (isActive.get(id)) yield id;
      for (const id of waiting(key, 0)) {
        if (id > after) return;
        if (isActive.get(id)) yield id;
      }
    },

    /** A workspace's open fan-outs, once around, beginning behind the event `after`. */
    *fanOuts({ route, lane }: LaneKey, workspaceId: number, after: number): Generator<FanOut> {
      let fanOut = fresh.next(route, lane, workspaceId, after);
      while (fanOut) {
        yield fanOut;
        fanOut = fresh.next(route, lane, workspaceId, fanOut.eventId);
      }
      fanOut = fresh.next(route, lane, workspaceId, 0);
      while (fanOut && fanOut.eventId <= after) {
        yield fanOut;
        fanOut = fresh.next(route, lane, workspaceId, fanOut.eventId);
      }
    },
  };
}
export type Turns = ReturnType<typeof turnsOf>;

export function everyLane(): LaneKey[] {
  return ROUTES.flatMap((route) => LANES.map((lane) => ({ route, lane })));
}

function entry<V>(map: Map<string, V>, name: string, fresh: V): V {
  const known = map.get(name);
  if (known) return known;
  map.set(name, fresh);
  return fresh;
}
