import { namesIn } from '../handlers/names.ts';
import type { Name, NameQuery } from '../names.ts';
import { connectionsTo } from './connections.ts';

/** The user is typing. */
const CONNECT_MS = 2_000;

/** Names in the database. Rejects where it cannot be read. */
export async function listNames(url: string, query: NameQuery): Promise<readonly Name[]> {
  const connections = connectionsTo({ url, most: 1, connectMs: CONNECT_MS, answerMs: CONNECT_MS });
  try {
    return await connections.transaction('read', ({ sql }) => namesIn(sql, query));
  } finally {
    await connections.close();
  }
}
