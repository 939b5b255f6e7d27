import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork, type TimedWorkDeps } from './timed-work.ts';

/** Handovers wait by the wall clock, but timers run steadily: this notices in time that the clock was set forward. */
const LONGEST_REST_MS = 30_000;
const AFTER_FAULT_MS = 5_000;

export interface HandoversDeps extends TimedWorkDeps {
  readonly store: Pick<ServingStore, 'nextHandover' | 'handOver' | 'onTouched'>;
}

/** Hands rotas over. Rests while there is none. */
export function rotaHandovers(deps: HandoversDeps): TimedWork {
  const { store } = deps;
  return new TimedWork(deps, {
    topic: 'on_call',
    failed: 'the handover of a rota failed',
    againMs: AFTER_FAULT_MS,
    async work() {
      const { inMs } = await store.nextHandover({});
      if (inMs !== 0) return inMs && Math.min(inMs, LONGEST_REST_MS);
      await store.handOver({});
      return 0;
    },
  });
}
