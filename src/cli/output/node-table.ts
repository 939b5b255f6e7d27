import { isQuiet } from '../../host/doctor/nodes.ts';
import type { NodeState } from '../../store/postgres/inspection.ts';
import { toTimestamp } from '../../timestamp.ts';
import type { CommandContext } from '../context.ts';
import { shortDuration } from './stats-report.ts';
import { table, when } from './table.ts';

/** One of the servers that share a database. */
export interface NodeDocument {
  readonly name: string;
  readonly version: string;
  readonly since: string;
  /** `silent`: it gives no sign of life; `lost`: for so long that the others take over what it had out. */
  readonly state: 'serving' | 'silent' | 'lost';
  readonly silent_ms: number;
}

export function nodeDocument(node: NodeState): NodeDocument {
  return {
    name: node.name,
    version: node.version,
    since: toTimestamp(node.startedAtMs),
    state: stateOf(node),
    silent_ms: Math.max(0, node.silentMs),
  };
}

function stateOf(node: NodeState): NodeDocument['state'] {
  if (node.leaseLeftMs <= 0) return 'lost';
  return isQuiet(node) ? 'silent' : 'serving';
}

export function nodeTable(context: CommandContext, nodes: readonly NodeDocument[]): string {
  const rows = nodes.map(({ name, version, since, state, silent_ms: silentMs }) => [
    name,
    state === 'serving' ? state : `${state}, for ${shortDuration(silentMs)}`,
    version,
    when(since),
  ]);
  return table(context, ['NODE', 'STATE', 'VERSION', 'SINCE'], rows, 'No server serves this database.');
}
