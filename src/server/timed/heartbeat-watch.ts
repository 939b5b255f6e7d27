import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork, type TimedWorkDeps } from './timed-work.ts';

/** After a failure; pings fail too then. */
const AGAIN_MS = 10_000;

export interface HeartbeatWatchDeps extends TimedWorkDeps {
  readonly store: Pick<ServingStore, 'tendHeartbeats' | 'onTouched'>;
}

export function heartbeatWatch(deps: HeartbeatWatchDeps): TimedWork {
  return new TimedWork(deps, {
    topic: 'heartbeats',
    failed: 'the check of heartbeats failed',
    againMs: AGAIN_MS,
    work: async () => (await deps.store.tendHeartbeats({})).nextInMs,
  });
}
