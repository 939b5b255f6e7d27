import { namesIn } from '../handlers/names.ts';
import type { Name, NameQuery } from '../names.ts';
import { withConnections } from './opening.ts';

/** Short, because the user is typing. */
const CONNECT_MS = 2_000;

/** Lists names in the database. Rejects if it cannot be read. */
export function listNames(url: string, query: NameQuery): Promise<readonly Name[]> {
  return withConnections({ url, most: 1, connectMs: CONNECT_MS, answerMs: CONNECT_MS }, ({ transaction }) =>
    transaction('read', ({ sql }) => namesIn(sql, query)),
  );
}
