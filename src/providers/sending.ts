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

/**
 * Sends to each target of a batch once. Whoever has waited for a slot until `patienceMs` is not sent at all, so that a batch
 * ends within twice the deadline of a send. When the route turns out to be down, the rest of the batch is answered with
 * that, unsent: a broken provider must not be asked hundreds of times over.
 */
export async function sendToEach(
  batch: Batch,
  slots: Slots,
  clock: Clock,
  patienceMs: number,
  fitted: boolean,
  send: (target: Target) => Promise<Outcome>,
): Promise<readonly Sent[]> {
  const giveUpAtMs = clock.steadyMs() + patienceMs;
  let routeOutcome: Outcome | null = null;

  return Promise.all(
    batch.targets.map((target) =>
      slots.run(batch.lane, async () => {
        const outcome = routeOutcome ?? (clock.steadyMs() > giveUpAtMs ? judgeFault('not_sent') : await send(target));
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
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** One fault for every target of a batch that was not sent, or nobody knows whether. */
export function allAs(batch: Batch, fault: Fault): readonly Sent[] {
  const outcome = judgeFault(fault);
  return batch.targets.map(({ deviceId }) => ({ deviceId, outcome, fitted: false }));
}
