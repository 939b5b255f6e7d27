import { packageVersion } from '../../package.ts';
import type { Connections } from './connections.ts';
import { NOW_MS } from './moment.ts';

/** What no single node has done, such as commands without a server. */
export const NO_NODE = 0;

const LEASE_MS = 10_000;

const JOIN = `
  INSERT INTO node (name, version, started_at, lease_end)
  SELECT CAST(:name AS TEXT), CAST(:version AS TEXT), now_ms, now_ms + ${LEASE_MS} FROM (SELECT ${NOW_MS} AS now_ms) AS clock`;

/** Makes this process one of the store's nodes, and answers its number, which is never given again. */
export async function joinAs(connections: Connections, name: string): Promise<number> {
  return connections.lend(({ sql }) => sql.insert<object>(JOIN)({ name, version: packageVersion() }));
}

/** What it has out is free for the others at once. */
export async function leave(connections: Connections, node: number): Promise<void> {
  await connections.transaction('write', async ({ sql }) => {
    await sql.all<object, object>(`
      SELECT release_claims(array_agg(id)) FROM claim WHERE node_id = :node HAVING count(*) > 0
    `)({ node });
    await sql.run<object>('DELETE FROM node WHERE id = :node')({ node });
  });
}
