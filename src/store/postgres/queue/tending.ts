import { type OnTrouble, reportsOf } from '../../upkeep.ts';
import type { Connections } from '../connections.ts';
import { ConnectionLost } from '../errors.ts';

export interface TendingOptions {
  readonly onTrouble?: OnTrouble | undefined;
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** An accept that is just under way has ended by then: claims may begin behind what was there before. */
const SETTLED_MS = 20_000;

/**
 * Keeps short what counts and claims go by (functions/queue-counts.sql): to be called often, does so now and then.
 * Returns once that is done, or was begun by an earlier call.
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
      // Otherwise another node tends the queue, which proves nothing.
      if (isDone) reports.succeeded();
    } catch (error) {
      // A database that cannot be reached is reported elsewhere.
      if (!(error instanceof ConnectionLost)) reports.failed(error);
    } finally {
      isUnderWay = false;
    }
  };
}
