import type { Clock } from '../clock.ts';
import type { Batch, Outcome, Sent, Target } from '../push.ts';
import type { Slots } from './slots.ts';
import type { Fault } from './verdicts/faults.ts';
import { judgeFault } from './verdicts.ts';

export interface SendLimits {
  /** How long one push may take. */
  readonly deadlineMs: number;
  /** How many may be on their way at once. */
  readonly inFlight: number;
}

/** Whether a push was recalled. To be asked right before its request is written. */
export type IsRecalled = () => boolean;

/**
 * Sends to each target of a batch once. Whoever was recalled while waiting for a slot, or has waited until `patienceMs`, is not
 * sent at all, so that a batch ends within twice the deadline of a send. When the route turns out to be down, the rest of
 * the batch is answered with that, unsent: a broken provider must not be asked hundreds of times over.
 */
export async function sendToEach(
  batch: Batch,
  slots: Slots,
  clock: Clock,
  patienceMs: number,
  fitted: boolean,
  send: (target: Target, isRecalled: IsRecalled) => Outcome | Promise<Outcome>,
): Promise<readonly Sent[]> {
  const giveUpAtMs = clock.steadyMs() + patienceMs;
  let routeOutcome: Outcome | null = null;

  function attempt(target: Target, index: number): Outcome | Promise<Outcome> {
    const isRecalled = () => Atomics.load(batch.recalls, index) !== 0;
    if (isRecalled()) return judgeFault('recalled');
    if (routeOutcome) return routeOutcome;
    return clock.steadyMs() > giveUpAtMs ? judgeFault('not_sent') : send(target, isRecalled);
  }

  return Promise.all(
    batch.targets.map((target, index) =>
      slots.run(batch.lane, async () => {
        const outcome = await attempt(target, index);
        if (outcome.kind === 'unavailable' || outcome.kind === 'unauthorized') routeOutcome = outcome;
        return { deviceId: target.deviceId, outcome, fitted };
      }),
    ),
  );
}

/** Settles with what `promise` does, or with `late()` after `deadlineMs`. What comes later is ignored. */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), deadlineMs);
    // Not by `finally`, which makes three more promises of each push.
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** One fault for every target of a batch that was not sent, or nobody knows whether. */
export function allAs(batch: Batch, fault: Fault): readonly Sent[] {
  const outcome = judgeFault(fault);
  return batch.targets.map(({ deviceId }) => ({ deviceId, outcome, fitted: false }));
}
