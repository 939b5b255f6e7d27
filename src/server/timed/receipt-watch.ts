import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork, type TimedWorkDeps } from './timed-work.ts';

const AGAIN_MS = 10_000;
/** Nothing depends on the second, unless more is due than fits into a step. */
const SHORTEST_REST_MS = 1_000;

export interface ReceiptWatchDeps extends TimedWorkDeps {
  readonly store: Pick<ServingStore, 'missReceipts' | 'onTouched'>;
}

/** Gives up late reports, and finds devices that are not showing. */
export function receiptWatch(deps: ReceiptWatchDeps): TimedWork {
  return new TimedWork(deps, {
    topic: 'receipts',
    failed: 'reports of devices were not looked after',
    againMs: AGAIN_MS,
    async work() {
      const { nextInMs } = await deps.store.missReceipts({});
      return nextInMs === null || nextInMs === 0 ? nextInMs : Math.max(nextInMs, SHORTEST_REST_MS);
    },
  });
}
