import { type Outcome, type Sent, unreachable } from '../push.ts';
import { Breaker } from './breaker.ts';
import { type RetryPolicy, waitOf } from './retry.ts';

/** Why a route does not send, and since when. `off`: its provider has no usable credentials. Times are steady. */
export interface Pause {
  readonly kind: 'unavailable' | 'unauthorized' | 'suspicious' | 'off';
  readonly reason: string;
  readonly sinceMs: number;
  readonly nextProbeMs: number;
}

/** So many answers of one kind in a row, and nothing else, speak of the route and not of single pushes. */
const STREAK = 20;
/** Resets and timeouts may come from one broken connection: they pause a route only if nothing else answered for so long. */
const SILENCE_MS = 10_000;

/**
 * The judgement about one route: may it send, and may its word about a dead token be believed? The first reason for a pause
 * stands until a probe: what still arrives from batches that were in flight does not prolong it.
 */
export class RouteHealth {
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  readonly #breaker = new Breaker();
  #pause: Pause | null = null;
  #probes = 0;
  #streak = { busy: 0, fault: 0 };
  #lastAnswerMs: number;

  constructor(policy: RetryPolicy, steadyMs: number, random: () => number) {
    this.#policy = policy;
    this.#random = random;
    this.#lastAnswerMs = steadyMs;
  }

  get pause(): Pause | null {
    return this.#pause;
  }

  /** Takes note of a batch's answers, and answers what they mean in the light of all others. */
  judge(batch: readonly Sent[], steadyMs: number): readonly Sent[] {
    for (const sent of batch) this.#note(sent, steadyMs);
    if (!this.#pause && this.#breaker.tripped) {
      this.#pauseFor('suspicious', 'most device tokens are refused: wrong environment, topic or project?', steadyMs);
    }
    return batch.map((sent) => ({ ...sent, outcome: this.#breaker.inContext(sent.outcome, this.#pause !== null) }));
  }

  /** A paused route was probed. It opens again once its provider answered about the device itself. */
  probed(batch: readonly Sent[], steadyMs: number): readonly Sent[] {
    const pause = this.#pause;
    // Nothing was asked, so the pause stands as it is, and the next probe need not wait.
    if (batch.every(({ outcome }) => outcome.kind === 'recalled')) return batch;
    this.open(steadyMs);
    const judged = this.judge(batch, steadyMs);
    const isGood = batch.some(
      ({ outcome }) => isAnswer(outcome) && !(outcome.kind === 'unregistered' && outcome.suspect),
    );
    if (isGood || !pause) {
      this.#probes = 0;
      return judged;
    }
    const told = batch.map(({ outcome }) => outcome).find((outcome) => !isAnswer(outcome));
    const kind = told?.kind === 'unauthorized' || told?.kind === 'unavailable' ? told.kind : pause.kind;
    const retryAfterS = told && 'retryAfterS' in told ? told.retryAfterS : undefined;
    this.#probes += 1;
    this.#pause = null;
    this.#pauseFor(kind, told?.reason ?? pause.reason, steadyMs, retryAfterS, pause.sinceMs);
    return batch.map((sent) => ({ ...sent, outcome: this.#breaker.inContext(sent.outcome, true) }));
  }

  open(steadyMs: number): void {
    this.#pause = null;
    this.#streak = { busy: 0, fault: 0 };
    this.#lastAnswerMs = steadyMs;
    this.#breaker.reset();
  }

  switchOff(reason: string, steadyMs: number): void {
    this.#pause = { kind: 'off', reason, sinceMs: steadyMs, nextProbeMs: Number.POSITIVE_INFINITY };
  }

  #note({ deviceId, outcome }: Sent, steadyMs: number): void {
    if (isAnswer(outcome)) {
      this.#streak = { busy: 0, fault: 0 };
      this.#lastAnswerMs = steadyMs;
      this.#breaker.note(outcome, deviceId);
      return;
    }
    switch (outcome.kind) {
      case 'deferred': {
        this.#streak[outcome.pace] += 1;
        const isSilent = this.#streak.fault >= STREAK && steadyMs - this.#lastAnswerMs >= SILENCE_MS;
        if (this.#streak.busy >= STREAK || isSilent) {
          this.#pauseFor('unavailable', `nothing but ${outcome.reason}`, steadyMs, outcome.retryAfterS);
        }
        return;
      }
      case 'unavailable':
        this.#pauseFor('unavailable', outcome.reason, steadyMs, outcome.retryAfterS);
        return;
      case 'unauthorized':
        this.#pauseFor('unauthorized', outcome.reason, steadyMs);
        return;
      case 'recalled':
        return;
      default:
        unreachable(outcome);
    }
  }

  #pauseFor(kind: Pause['kind'], reason: string, steadyMs: number, retryAfterS?: number, sinceMs = steadyMs): void {
    if (this.#pause) return;
    const { retryFirstMs, retryMaxMs } = this.#policy;
    const waitMs = waitOf(retryFirstMs, this.#probes, retryMaxMs, retryAfterS, this.#random);
    this.#pause = { kind, reason, sinceMs, nextProbeMs: steadyMs + waitMs };
  }
}

type Answer = Extract<Outcome, { kind: 'accepted' | 'unregistered' | 'rejected' }>;

/** The provider looked at the push itself and answered about its device. */
function isAnswer(outcome: Outcome): outcome is Answer {
  return outcome.kind === 'accepted' || outcome.kind === 'unregistered' || outcome.kind === 'rejected';
}
