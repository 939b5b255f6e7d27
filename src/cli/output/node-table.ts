import { clockOff, isClockOff, isQuiet, refusalOf } from '../../host/doctor/cluster.ts';
import type { NodeState } from '../../store/postgres/nodes/states.ts';
import { toTimestamp } from '../../values/timestamp.ts';
import { listView, type Noun } from '../command.ts';
import { shortDuration } from './stats-report.ts';
import { when } from './table.ts';

export interface NodeDocument {
  readonly name: string;
  /** The listening address; null: none yet. */
  readonly address: string | null;
  readonly version: string;
  readonly since: string;
  /**
   * `refusing`: accepts no events, so it is not ready; `silent`: no sign of life; `lost`: long enough that others take
   * over its claims.
   */
  readonly state: 'serving' | 'refusing' | 'silent' | 'lost';
  readonly silent_ms: number;
  /** Notices reach it; null: unknown yet. */
  readonly hears: boolean | null;
  /** How far its clock is ahead of the database's. */
  readonly clock_ahead_ms: number;
  readonly health: NodeState['health'];
}

export function nodeDocument(node: NodeState): NodeDocument {
  return {
    name: node.name,
    address: node.address,
    version: node.version,
    since: toTimestamp(node.startedAtMs),
    state: stateOf(node),
    silent_ms: Math.max(0, node.silentMs),
    hears: node.hears,
    clock_ahead_ms: node.clockAheadMs,
    health: node.health,
  };
}

function stateOf(node: NodeState): NodeDocument['state'] {
  if (node.leaseLeftMs <= 0) return 'lost';
  if (isQuiet(node)) return 'silent';
  return refusalOf(node) === null ? 'serving' : 'refusing';
}

const NODE: Noun<NodeDocument> = {
  name: 'node',
  plural: 'nodes',
  columns: {
    NODE: ({ name }) => name,
    ADDRESS: ({ address }) => address,
    STATE: ({ state, silent_ms: silentMs }) =>
      state === 'serving' || state === 'refusing' ? state : `${state} for ${shortDuration(silentMs)}`,
    VERSION: ({ version }) => version,
    SINCE: ({ since }) => when(since),
    TROUBLE: (node) => troubles(node).join('; ') || null,
  },
  empty: 'No server serves this database.',
};

export const nodeTable = listView(NODE);

function troubles({ hears, clock_ahead_ms: aheadMs, health }: NodeDocument): readonly string[] {
  const { paused } = health;
  const refusal = refusalOf({ health });
  return [
    ...(refusal === null ? [] : [`accepts no events: ${refusal}`]),
    ...(hears === false ? ['hears no notices'] : []),
    ...(isClockOff(aheadMs) ? [`clock ${clockOff(aheadMs, "the database's")}`] : []),
    ...(Array.isArray(paused) && paused.length > 0 ? [`paused: ${paused.join(', ')}`] : []),
  ];
}
