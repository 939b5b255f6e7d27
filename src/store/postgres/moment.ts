import { type Clock, type Moment, momentOf } from '../../clock.ts';
import type { Connection } from './connections.ts';

/** The database's clock in milliseconds, the same for all nodes. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** The time of a transaction's calls: by the database's clock, which is both clocks, unless one is given. */
export async function momentIn({ sql }: Connection, clock: Clock | undefined): Promise<Moment> {
  if (clock !== undefined) return momentOf(clock);
  const nowMs = (await sql.value<object, number>(`SELECT ${NOW_MS}`)({})) ?? 0;
  return { wallMs: nowMs, steadyMs: nowMs };
}
