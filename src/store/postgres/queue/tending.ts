import { type OnTrouble, reportsOf } from '../../upkeep.ts';
import type { Connections } from '../connections.ts';
import { ConnectionLost } from '../errors.ts';

export interface TendingOptions {
  readonly onTrouble?: OnTrouble | undefined;
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** After this time earlier accepts have ended: claims may begin behind rows from before. */
const SETTLED_MS = 20_000;

/**
 * Keeps the tables of counts and claims short (functions/queue-counts.sql). Call often: works now and then. Resolves
 * when done, or at once during another call.
 */
export function tending(
  { lend }: Pick<Connections, 'lend'>,
  { onTrouble = () => {}, everyMs = EVERY_MS }: TendingOptions = {},
): () => Promise<void> {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let isUnderWay = false;
  const reports = reportsOf('counts', onTrouble);

  return async () => {
    const nowMs = performance.now();
    if (isUnderWay || nowMs < nextAtMs) return;
    isUnderWay = true;
    nextAtMs = nowMs + everyMs;
    try {
      const { rows } = await lend(({ ask }) => ask({ text: 'SELECT tend_queue($1) AS is_done', values: [SETTLED_MS] }));
      const [{ is_done: isDone }] = rows as readonly [{ readonly is_done: boolean }];
      // Another node tending the queue proves nothing.
      if (isDone) reports.succeeded();
    } catch (error) {
      // Unreachable databases are reported elsewhere.
      if (!(error instanceof ConnectionLost)) reports.failed(error);
    } finally {
      isUnderWay = false;
    }
  };
}
