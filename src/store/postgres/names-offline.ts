import { namesIn } from '../handlers/suggestions.ts';
import type { Name, NameQuery } from '../records.ts';
import { withConnections } from './opening.ts';

/** Short: the user is typing. */
const CONNECT_MS = 2_000;

/** Lists names. Rejects if unreadable. */
export function listNames(url: string, query: NameQuery): Promise<readonly Name[]> {
  return withConnections({ url, most: 1, connectMs: CONNECT_MS, answerMs: CONNECT_MS }, ({ transaction }) =>
    transaction('read', ({ sql }) => namesIn(sql, query)),
  );
}
