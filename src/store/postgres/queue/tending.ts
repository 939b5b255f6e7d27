import type { Connections } from '../connections.ts';
import { ConnectionLost } from '../errors.ts';

/** Why the queue cannot be tended; null: it can again. */
export type OnTending = (trouble: string | null) => void;

export interface TendingOptions {
  /** Called once when it failed twice in a row, and when it succeeded again. */
  readonly onTending?: OnTending | undefined;
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** An accept that is just under way has ended by then: claims may begin behind what was there before. */
const SETTLED_MS = 20_000;

/** One is made up for by the next. */
const FEW_FAILURES = 1;

/**
 * Keeps short what counts and claims go by (migrations/0016_queue_counts.sql): to be called often, does so now and then.
 * Returns once that is done, or was begun by an earlier call.
 */
export function tending(
  { lend }: Pick<Connections, 'lend'>,
  { onTending = () => {}, everyMs = EVERY_MS }: TendingOptions = {},
): () => Promise<void> {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let isUnderWay = false;
  let failures = 0;

  function succeeded(): void {
    if (failures > FEW_FAILURES) onTending(null);
    failures = 0;
  }

  /** A database that cannot be reached is reported elsewhere. */
  function failed(error: unknown): void {
    if (error instanceof ConnectionLost) return;
    failures += 1;
    if (failures === FEW_FAILURES + 1) onTending((error as Error).message);
  }

  return async () => {
    const nowMs = performance.now();
    if (isUnderWay || nowMs < nextAtMs) return;
    isUnderWay = true;
    nextAtMs = nowMs + everyMs;
    try {
      const { rows } = await lend(({ ask }) => ask({ text: 'SELECT tend_queue($1) AS did', values: [SETTLED_MS] }));
      const [{ did }] = rows as readonly [{ readonly did: boolean }];
      // Else another node is just at it, which proves nothing.
      if (did) succeeded();
    } catch (error) {
      failed(error);
    } finally {
      isUnderWay = false;
    }
  };
}
