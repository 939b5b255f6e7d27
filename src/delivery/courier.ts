import type { Batch, DeviceOutcome, Sent } from '../push.ts';
import { type Claim, StoreUnavailable } from '../store/calls.ts';
import type { RelayParts } from './relay.ts';
import { isUnspent, verdictOf } from './retry.ts';

/** How long to wait before settling again what the store could not take (a full disk, say). */
const SETTLE_AGAIN_MS = 1_000;

/** A thread that lost a target must not lose its push: nobody knows whether it went out, so it goes out again. */
const NO_ANSWER: DeviceOutcome = { kind: 'deferred', reason: 'no answer from the delivery thread', pace: 'fault' };

export type Judge = (answers: readonly Sent[]) => readonly Sent[];

/** Takes one claim all the way: links added, sent, judged, settled. A claim that cannot be settled stays claimed. */
export class Courier {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** Answers whether all of it has ended; otherwise a part of it waits in the queue again. */
  async deliver(claim: Claim, judge: Judge): Promise<boolean> {
    const { pool, clock, links, onSent } = this.#parts;
    const held = links.of(claim.event.publicId);
    const batch: Batch = {
      id: claim.batchId,
      route: claim.route,
      lane: claim.lane,
      event: { ...claim.event, links: held ?? {} },
      ttlMs: Math.max(0, claim.expiresAtSteadyMs - clock.steadyMs()),
      targets: claim.targets,
      recalls: claim.recalls,
    };
    const answers = complete(claim, await pool.send(batch));
    const judged = judge(answers);
    onSent?.(claim, judged);
    return this.#settle(claim, judged, claim.hadLinks && !held);
  }

  async #settle(claim: Claim, judged: readonly Sent[], linksLost: boolean): Promise<boolean> {
    const { store, clock, policy, random, links } = this.#parts;
    if (judged.every(({ outcome }) => isUnspent(outcome))) {
      await this.#insist(() => store.releaseBatch({ batchId: claim.batchId }));
      return false;
    }
    const targets = new Map(claim.targets.map((target) => [target.deviceId, target]));
    const steadyMs = clock.steadyMs();
    const verdicts = judged.flatMap(({ deviceId, outcome, fitted }) => {
      const target = targets.get(deviceId);
      if (!target) return [];
      const { token, attempts } = target;
      const tried = { outcome, token, attempts, expiresAtSteadyMs: claim.expiresAtSteadyMs };
      return [{ deviceId, fitted, verdict: verdictOf(tried, policy, steadyMs, random) }];
    });
    const settlement = { batchId: claim.batchId, verdicts, linksLost, steadyMs, wallMs: clock.wallMs() };
    const settled = await this.#insist(() => store.settleBatch(settlement));
    for (const publicId of settled?.finished ?? []) links.drop(publicId);
    return verdicts.every(({ verdict }) => verdict.state !== 'pending');
  }

  /** Until the store takes it: what was sent and is not settled would be sent again. Null once the relay is stopping. */
  async #insist<T>(call: () => Promise<T>): Promise<T | null> {
    const { after, log, isStopping } = this.#parts;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || isStopping()) {
          log.error({ err: error }, 'a batch could not be settled; it will be sent again after the next start');
          return null;
        }
        await new Promise<void>((resolve) => after(SETTLE_AGAIN_MS, resolve));
      }
    }
  }
}

/** One answer for every target, whatever the thread answered. */
function complete(claim: Claim, answers: readonly Sent[]): readonly Sent[] {
  const byDevice = new Map(answers.map((sent) => [sent.deviceId, sent]));
  return claim.targets.map(({ deviceId }) => byDevice.get(deviceId) ?? { deviceId, outcome: NO_ANSWER, fitted: false });
}
