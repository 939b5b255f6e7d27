import type { Connections } from '../connections.ts';

const EVERY_MS = 5_000;
/** Whoever is just accepting an event has ended by then: claims may begin behind what was there before. */
const SETTLED_MS = 20_000;

/** Keeps short what counts and claims go by (migrations/0016_queue_counts.sql). What fails is made up for by the next. */
export function tending({ lend }: Pick<Connections, 'lend'>): () => void {
  let nextAtMs = 0;

  return () => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    nextAtMs = nowMs + EVERY_MS;
    void lend(({ ask }) => ask({ text: 'SELECT tend_queue($1)', values: [SETTLED_MS] })).catch(() => {});
  };
}
