import type { ServingStore } from '../../store/serving-store.ts';
import { byWallClock, TimedWork, type TimedWorkDeps } from './timed-work.ts';

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
    work: byWallClock(
      () => store.nextHandover({}),
      () => store.handOver({}),
    ),
  });
}
