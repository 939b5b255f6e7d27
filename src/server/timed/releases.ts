import { StoreUnavailable } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { byWallClock, TimedWork, type TimedWorkDeps } from './timed-work.ts';

const AFTER_FAULT_MS = 5_000;
/** The most events that a bug may keep from being sent, until those behind them wait as well. */
const MOST_FAULTY = 100;

export interface ReleasesDeps extends TimedWorkDeps {
  readonly store: Pick<ServingStore, 'nextRelease' | 'releaseDue' | 'onTouched'>;
}

export function scheduledReleases(deps: ReleasesDeps): TimedWork {
  const { store } = deps;
  return new TimedWork(deps, {
    topic: 'scheduled',
    failed: 'a scheduled event could not be queued at its time',
    againMs: AFTER_FAULT_MS,
    onFailed: () => releaseOthers(store),
    work: byWallClock(
      () => store.nextRelease({}),
      () => store.releaseDue({}),
    ),
  });
}

/** Releases one by one, so a failing event (a bug) stops no other. */
async function releaseOthers(store: ReleasesDeps['store']): Promise<void> {
  for (let skip = 0; skip < MOST_FAULTY; ) {
    try {
      const { released } = await store.releaseDue({ skip });
      if (released.length === 0) return;
    } catch (error) {
      if (error instanceof StoreUnavailable) return;
      skip += 1;
    }
  }
}
