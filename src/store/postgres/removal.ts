import type { RemovalDeps } from '../handlers/retention/purges.ts';
import { ID_LIST } from '../sql.ts';

export const REMOVAL: RemovalDeps = {
  limited,
  queued: Object.fromEntries(['fan_out', 'dead_letter'].map((table) => [table, `event_id IN ${ID_LIST}`])),
  usage: ['usage_of_node', 'workspace_id, month, node_id, slot'],
};

/** Deletes the condition's first `limit` rows, by their key columns. */
export function limited(table: string, key: string, condition: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT :limit)`;
}
