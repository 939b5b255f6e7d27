import { requestsOf } from '../../calls/serving.ts';
import type { RequestsLeft } from '../../calls.ts';
import type { Connection } from '../connections.ts';
import { windowName } from '../shared-limits.ts';
import type { Asked } from './accepting.ts';

/** Of a request that was counted: whether it is one too many, and how many more its key may make. */
export interface Counted {
  readonly isOver: boolean;
  readonly requests?: RequestsLeft;
}

interface CountedKey {
  readonly name: string;
  readonly free: number;
  readonly reset_ms: number;
}

const WINDOW_MS = 60_000;
const COUNT = 'SELECT name, free, reset_ms FROM count_uses($1, $2, $3, $4, $5)';
const UNCOUNTED: Counted = { isOver: false };

/** Whether the request is counted, under the limit of its key. */
export function isCounted({ key, args }: Asked): boolean {
  return key !== undefined && args.perMinute !== undefined;
}

/**
 * Counts the requests of a group under their keys, for all nodes together: a transaction of its own: no request
 * waits for a key whose events are just being accepted. `steadyMs`: instead of the database's time.
 */
export async function countTogether(
  { ask }: Pick<Connection, 'ask'>,
  asked: readonly Asked[],
  steadyMs: number | null,
): Promise<readonly Counted[]> {
  const wanted = new Map<string, { readonly name: string; count: number; most: number }>();
  for (const { key, args } of asked) {
    if (key === undefined || args.perMinute === undefined) continue;
    const its = wanted.get(key.id) ?? { name: windowName(requestsOf(key.id)), count: 0, most: args.perMinute };
    its.count += 1;
    its.most = Math.min(its.most, args.perMinute);
    wanted.set(key.id, its);
  }
  // In the order in which all nodes take them.
  const keys = [...wanted.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  const { rows } = await ask({
    text: COUNT,
    values: [
      keys.map(({ name }) => name),
      keys.map(({ count }) => count),
      keys.map(({ most }) => most),
      keys.map(() => WINDOW_MS),
      steadyMs,
    ],
  });
  const left = new Map((rows as readonly CountedKey[]).map((row) => [row.name, { ...row }]));
  return asked.map(({ key }) => {
    const its = left.get(wanted.get(key?.id ?? '')?.name ?? '');
    if (its === undefined) return UNCOUNTED;
    its.free -= 1;
    return { isOver: its.free < 0, requests: { remaining: Math.max(0, its.free), resetAfterMs: its.reset_ms } };
  });
}
