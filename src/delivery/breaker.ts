import type { Outcome, Sent, Target } from '../push.ts';
import { type RetryPolicy, waitOf } from './retry.ts';

/** Since when devices are refused and nothing says whose fault it is. `reason`: the last one told. Times are steady. */
export interface Doubt {
  readonly reason: string;
  readonly sinceMs: number;
}

/**
 * Tells dead devices from a mistake of ours. Tokens of a wrong environment, topic or project are refused in the same words as
 * dead ones, so such a refusal alone decides nothing: the device becomes a *suspect*, its pushes are held in a lane of their own
 * (on the disk, so a restart loses none), and everybody else's go on. What decides is an acceptance: it proves that the
 * credentials, topic and environment in force now are right, and what is held is tried again. Of what is sent from then on a refusal is
 * believed: at once of a device that was never accepted, and at its second one, a while later, of a device that was. For vendors
 * call a good token that ended unregistered, and do not turn it into a bad one: the first refusal speaks against us, and ends the
 * good standing of the route until a push that is sent after it is accepted. While there is no evidence either way nobody is
 * deactivated, new pushes to suspects are held unsent, and a batch of what is held is tried at growing intervals, which finds
 * out that all is mended; what is not settled so waits for the operator (`device prune`), or expires. New credentials start from
 * nothing.
 */
export class Breaker {
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  #isGood = false;
  #turn = 0;
  #doubt: Doubt | null = null;
  #trials = 0;
  #nextTrialMs = 0;

  constructor(policy: RetryPolicy, random: () => number) {
    this.#policy = policy;
    this.#random = random;
  }

  get doubt(): Doubt | null {
    return this.#doubt;
  }

  /** Something was accepted since the last reason for doubt. */
  get isGood(): boolean {
    return this.#isGood;
  }

  /** Grows with each change of the standing. Answers count as evidence only for the turn in which they were asked for. */
  get turn(): number {
    return this.#turn;
  }

  /** When pushes that are held may be tried; in doubt a batch at a time. */
  get nextTrialMs(): number {
    return this.#isGood ? 0 : this.#nextTrialMs;
  }

  /** Whether a new push to this device is held unsent. One that was good gets its while also on a route in good standing. */
  holds({ isSuspect, wasAccepted }: Target): boolean {
    return isSuspect && (wasAccepted || !this.#isGood);
  }

  /** What answers mean in the light of all others. `turn`: that in which their pushes went out. */
  judge(answers: readonly Sent[], targets: readonly Target[], turn: number, steadyMs: number): readonly Sent[] {
    const targetOf = ({ index }: Sent) => targets[index];
    const speaksAgainst = (sent: Sent) => isSuspicion(sent.outcome) && isKnownAsGood(targetOf(sent));
    if (this.#isGood && answers.some(speaksAgainst)) this.#become(false);
    const isProven = answers.some(({ outcome }) => outcome.kind === 'accepted');
    if (isProven && !this.#isGood && turn === this.#turn) this.#become(true);
    const isBelievable = this.#isGood && turn === this.#turn;
    const judged = answers.map((sent) => ({ ...sent, outcome: judgeOne(sent.outcome, targetOf(sent), isBelievable) }));
    const held = judged.find(({ outcome }) => outcome.kind === 'held' && outcome.isSent);
    if (held && !this.#isGood && 'reason' in held.outcome) this.#doubtAbout(held.outcome.reason, steadyMs);
    return judged;
  }

  /** A batch of what is held is on its way. */
  tried(steadyMs: number): void {
    if (this.#isGood) return;
    const { retryFirstMs, retryMaxMs } = this.#policy;
    this.#nextTrialMs = steadyMs + waitOf(retryFirstMs, this.#trials, retryMaxMs, undefined, this.#random);
    this.#trials += 1;
  }

  /** Other credentials: nothing that was seen before speaks for them or against them. */
  reset(): void {
    this.#become(false);
    this.hurry();
  }

  /** What is held may be tried at once. */
  hurry(): void {
    this.#trials = 0;
    this.#nextTrialMs = 0;
  }

  #become(isGood: boolean): void {
    this.#isGood = isGood;
    this.#turn += 1;
    if (!isGood) return;
    this.#doubt = null;
    this.hurry();
  }

  #doubtAbout(reason: string, steadyMs: number): void {
    this.#doubt = { reason, sinceMs: this.#doubt?.sinceMs ?? steadyMs };
    // What was just refused is not tried again at once.
    if (this.#nextTrialMs === 0) this.tried(steadyMs);
  }
}

function judgeOne(outcome: Outcome, target: Target | undefined, isBelievable: boolean): Outcome {
  if (!isSuspicion(outcome)) return outcome;
  return isBelievable && !isKnownAsGood(target) ? outcome : { kind: 'held', reason: outcome.reason, isSent: true };
}

function isKnownAsGood(target: Target | undefined): boolean {
  return target?.wasAccepted === true && !target.isSuspect;
}

function isSuspicion(outcome: Outcome): outcome is Extract<Outcome, { kind: 'unregistered' }> {
  return outcome.kind === 'unregistered' && outcome.suspect === true;
}
