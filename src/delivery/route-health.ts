import { type Outcome, type Sent, type Target, unreachable } from '../push.ts';
import { Breaker } from './breaker.ts';
import { type RetryPolicy, waitOf } from './retry.ts';

/**
 * Why a route does not send, and since when. `off`: its provider has no usable credentials; `operator`: `route pause`.
 * Times are steady.
 */
export interface Pause {
  readonly kind: 'unavailable' | 'unauthorized' | 'off' | 'operator';
  readonly reason: string;
  readonly sinceMs: number;
  readonly nextProbeMs: number;
}

/** The outcomes of a batch, or of a part of it. `targets`: all of the batch. `turn`: the breaker's when it was sent. */
export interface AnsweredBatch {
  readonly answers: readonly Sent[];
  readonly targets: readonly Target[];
  readonly turn: number;
}

/** This many equal outcomes in a row concern the route, not single pushes. */
const STREAK = 20;
/**
 * Resets and timeouts may come from one broken connection: they pause a route only after so long without any other
 * outcome.
 */
const SILENCE_MS = 10_000;

/**
 * Decides whether a route may send, and (`breaker`) whether its reports of dead tokens are believed. The first reason
 * for a pause stands until a probe: outcomes of batches that were in flight do not prolong it. An operator's pause
 * overrides all others, and nothing is probed meanwhile.
 */
export class RouteHealth {
  readonly breaker: Breaker;
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  #pause: Pause | null = null;
  #operators: Pause | null = null;
  #probes = 0;
  #streak = { busy: 0, fault: 0 };
  #lastAnswerMs: number;

  constructor(policy: RetryPolicy, steadyMs: number, random: () => number) {
    this.breaker = new Breaker(policy, random);
    this.#policy = policy;
    this.#random = random;
    this.#lastAnswerMs = steadyMs;
  }

  get pause(): Pause | null {
    return this.#operators ?? this.#pause;
  }

  /** Counts the outcomes, and returns them in the light of all others. */
  judge(batch: AnsweredBatch, steadyMs: number): readonly Sent[] {
    for (const { outcome } of batch.answers) this.#note(outcome, steadyMs);
    return this.breaker.judge(batch.answers, batch.targets, batch.turn, steadyMs);
  }

  /** A paused route was probed. It resumes once its provider answers about the device itself. */
  probed(batch: AnsweredBatch, steadyMs: number): readonly Sent[] {
    const { answers } = batch;
    const pause = this.#pause;
    // Nothing was sent, so the pause stands, and the next probe need not wait.
    if (!pause || answers.every(({ outcome }) => outcome.kind === 'recalled' || outcome.kind === 'held'))
      return answers;
    this.#goOn(steadyMs);
    const judged = this.judge(batch, steadyMs);
    if (answers.some(({ outcome }) => isAboutDevice(outcome))) {
      this.#probes = 0;
      return judged;
    }
    const told = answers.map(({ outcome }) => outcome).find((outcome) => !isAboutDevice(outcome));
    const kind = told?.kind === 'unauthorized' || told?.kind === 'unavailable' ? told.kind : pause.kind;
    const reason = told && 'reason' in told ? told.reason : pause.reason;
    const retryAfterS = told && 'retryAfterS' in told ? told.retryAfterS : undefined;
    this.#probes += 1;
    this.#pause = null;
    this.#pauseFor(kind, reason, steadyMs, retryAfterS, pause.sinceMs);
    return judged;
  }

  /** New credentials: nothing that was seen before counts. */
  open(steadyMs: number): void {
    this.#goOn(steadyMs);
    this.breaker.reset();
  }

  switchOff(reason: string, steadyMs: number): void {
    this.#pause = { kind: 'off', reason, sinceMs: steadyMs, nextProbeMs: Number.POSITIVE_INFINITY };
  }

  /** An operator's pause, which only an operator ends; null: none. */
  hold(sinceMs: number | null): void {
    const reason = 'an operator paused it';
    this.#operators =
      sinceMs === null ? null : { kind: 'operator', reason, sinceMs, nextProbeMs: Number.POSITIVE_INFINITY };
  }

  /** The next probe is due at once. */
  hurry(steadyMs: number): void {
    this.#probes = 0;
    this.breaker.hurry();
    if (this.#pause && this.#pause.kind !== 'off') this.#pause = { ...this.#pause, nextProbeMs: steadyMs };
  }

  #goOn(steadyMs: number): void {
    this.#pause = null;
    this.#streak = { busy: 0, fault: 0 };
    this.#lastAnswerMs = steadyMs;
  }

  #note(outcome: Outcome, steadyMs: number): void {
    if (isAboutDevice(outcome)) {
      this.#streak = { busy: 0, fault: 0 };
      this.#lastAnswerMs = steadyMs;
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
      case 'held':
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

/** The provider answered about the device, not about the connection or the credentials. */
function isAboutDevice(
  outcome: Outcome,
): outcome is Extract<Outcome, { kind: 'accepted' | 'unregistered' | 'rejected' }> {
  return outcome.kind === 'accepted' || outcome.kind === 'unregistered' || outcome.kind === 'rejected';
}
