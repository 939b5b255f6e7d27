import type { Lane, Route } from '../../../push.ts';
import type { LeasedRow } from './leased-work.ts';

interface LaneTurns {
  lastWorkspace: number;
  readonly lastEvents: Map<number, number>;
}

/** Most remembered workspaces, which go along with each lease. Forgotten ones begin with their oldest event. */
const MOST_REMEMBERED = 200;

/** Keeps whose turn it is to be leased in each lane, until a restart. */
export class LeaseTurns {
  readonly #lanes = new Map<string, LaneTurns>();

  next(route: Route, lane: Lane): { readonly lastWorkspace: number; readonly lastEvents: string } {
    const turns = this.#of(route, lane);
    return { ...turns, lastEvents: JSON.stringify(Object.fromEntries(turns.lastEvents)) };
  }

  record({
    route,
    lane,
    workspace_id: workspaceId,
    event_id: eventId,
    device_id: deviceId,
  }: LeasedRow & { readonly event_id: number }): void {
    const turns = this.#of(route, lane);
    turns.lastWorkspace = workspaceId;
    if (deviceId === null) this.#remember(turns, workspaceId, eventId);
  }

  #remember(turns: LaneTurns, workspaceId: number, eventId: number): void {
    turns.lastEvents.delete(workspaceId);
    turns.lastEvents.set(workspaceId, eventId);
    for (const [oldestWorkspace] of turns.lastEvents) {
      if (turns.lastEvents.size <= MOST_REMEMBERED) return;
      turns.lastEvents.delete(oldestWorkspace);
    }
  }

  #of(route: Route, lane: Lane): LaneTurns {
    const name = `${route} ${lane}`;
    const known = this.#lanes.get(name) ?? { lastWorkspace: 0, lastEvents: new Map() };
    this.#lanes.set(name, known);
    return known;
  }
}
