import { v7 } from 'uuid';
import type { Clock } from '../../process/clock.ts';
import type { SilentDevice } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork, type TimedWorkDeps } from './timed-work.ts';

const AGAIN_MS = 10_000;
/** Nothing depends on the second. */
const SHORTEST_REST_MS = 1_000;

export interface ReceiptWatchDeps extends TimedWorkDeps {
  readonly store: Pick<ServingStore, 'missReceipts' | 'testDevice' | 'onTouched'>;
  readonly clock: Clock;
}

/** Has the store give up reports that did not come in time, and find the devices that are not showing. */
export function receiptWatch(deps: ReceiptWatchDeps): TimedWork {
  return new TimedWork(deps, {
    topic: 'receipts',
    failed: 'reports of devices were not looked after',
    againMs: AGAIN_MS,
    async work() {
      const { nextInMs, silent } = await deps.store.missReceipts({});
      for (const device of silent) await tellOthers(device, deps);
      return nextInMs === null ? null : Math.max(nextInMs, SHORTEST_REST_MS);
    },
  });
}

/** Tells a person on their other devices, once and without a sound. A notice that cannot be queued is dropped. */
async function tellOthers({ name, others }: SilentDevice, { store, clock }: ReceiptWatchDeps): Promise<void> {
  for (const id of others) {
    await store.testDevice({ id, uuid: v7({ msecs: clock.wallMs() }), notShowing: name }).catch(() => null);
  }
}
