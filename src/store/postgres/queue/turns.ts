import type { Lane, Route } from '../../../push.ts';
import type { ClaimRow } from './reading.ts';

interface LaneTurns {
  lastWorkspace: number;
  retriesFirst: boolean;
  readonly lastEvents: Map<number, number>;
}

/** Most remembered workspaces, which go along with each claim. Forgotten ones begin with their oldest event. */
const MOST_REMEMBERED = 200;

/** Keeps each lane's turns, per node, until a restart. */
export class Turns {
  readonly #lanes = new Map<string, LaneTurns>();

  next(route: Route, lane: Lane): { lastWorkspace: number; lastEvents: string; retriesFirst: boolean } {
    const turns = this.#of(route, lane);
    turns.retriesFirst = !turns.retriesFirst;
    return { ...turns, lastEvents: JSON.stringify(Object.fromEntries(turns.lastEvents)) };
  }

  record(route: Route, lane: Lane, { id, workspaceId, eventId, from, to, isAgain }: ClaimRow): void {
    if (eventId === null) return;
    const turns = this.#of(route, lane);
    turns.lastWorkspace = workspaceId;
    const isNewPage = id !== null && from < to && !isAgain;
    if (isNewPage) this.#remember(turns, workspaceId, eventId);
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
    const known = this.#lanes.get(name) ?? { lastWorkspace: 0, retriesFirst: true, lastEvents: new Map() };
    this.#lanes.set(name, known);
    return known;
  }
}
