import type { Outcome, Sent, Target } from '../push.ts';
import { type RetryPolicy, waitOf } from './retry.ts';

/**
 * The time since which devices have been refused without evidence of whose fault it is (steady). `reason`: the latest.
 */
export interface Unproven {
  readonly reason: string;
  readonly sinceMs: number;
}

/**
 * Separates dead devices from our mistakes: tokens of a wrong environment, topic or project are rejected like dead
 * ones. A rejection alone only *quarantines* the device: its pushes are held in their own lane on disk, so restarts
 * lose none; others go on.
 * - An acceptance proves credentials, topic and environment, and held pushes are retried. Later rejections are
 * believed: at once for a never accepted device, otherwise the second time, a while later.
 * - Vendors report ended good tokens as unregistered, never malformed. The first malformed rejection counts against us:
 * the route is not good until a later push is accepted.
 * - Without evidence no device is deactivated, and new pushes to quarantined ones are held. A held batch is retried at
 * growing intervals, which detects a fix.
 * - Undecided pushes wait for the operator (`device prune`) or expire. New credentials start without evidence.
 */
export class Quarantine {
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  #isGood = false;
  #turn = 0;
  #unproven: Unproven | null = null;
  #trials = 0;
  #nextTrialMs = 0;

  constructor(policy: RetryPolicy, random: () => number) {
    this.#policy = policy;
    this.#random = random;
  }

  get unproven(): Unproven | null {
    return this.#unproven;
  }

  /** Tells whether an acceptance followed the last unexplained refusal. */
  get isGood(): boolean {
    return this.#isGood;
  }

  /**
   * Grows when the route becomes good or stops being good. Outcomes are evidence only in the turn in which their pushes
   * were sent.
   */
  get turn(): number {
    return this.#turn;
  }

  /** The time from which held pushes may be tried; one batch at a time while the route is not good. */
  get nextTrialMs(): number {
    return this.#isGood ? 0 : this.#nextTrialMs;
  }

  /**
   * Tells whether a new push to this device is held unsent. A device that was accepted before waits even on a good
   * route.
   */
  isHeld({ isQuarantined, wasAccepted }: Target): boolean {
    return isQuarantined && (wasAccepted || !this.#isGood);
  }

  /** Judges outcomes by all others. `turn`: when their pushes were sent. */
  judge(answers: readonly Sent[], targets: readonly Target[], turn: number, steadyMs: number): readonly Sent[] {
    const targetOf = ({ index }: Sent) => targets[index];
    const isEvidence = (sent: Sent) => canBeOurs(sent.outcome) && isKnownAsGood(targetOf(sent));
    if (this.#isGood && answers.some(isEvidence)) this.#become(false);
    const isProven = answers.some(({ outcome }) => outcome.kind === 'accepted');
    if (isProven && !this.#isGood && turn === this.#turn) this.#become(true);
    const isBelievable = this.#isGood && turn === this.#turn;
    const judged = answers.map((sent) => ({ ...sent, outcome: judgeOne(sent.outcome, targetOf(sent), isBelievable) }));
    const held = judged.find(({ outcome }) => outcome.kind === 'held' && outcome.isSent);
    if (held && !this.#isGood && 'reason' in held.outcome) this.#noteRefusal(held.outcome.reason, steadyMs);
    return judged;
  }

  tried(steadyMs: number): void {
    if (this.#isGood) return;
    const { retryFirstMs, retryMaxMs } = this.#policy;
    this.#nextTrialMs = steadyMs + waitOf(retryFirstMs, this.#trials, retryMaxMs, undefined, this.#random);
    this.#trials += 1;
  }

  /** Forgets the evidence, because the credentials are new. */
  reset(): void {
    this.#become(false);
    this.hurry();
  }

  /** Makes held pushes due. */
  hurry(): void {
    this.#trials = 0;
    this.#nextTrialMs = 0;
  }

  #become(isGood: boolean): void {
    this.#isGood = isGood;
    this.#turn += 1;
    if (!isGood) return;
    this.#unproven = null;
    this.hurry();
  }

  #noteRefusal(reason: string, steadyMs: number): void {
    this.#unproven = { reason, sinceMs: this.#unproven?.sinceMs ?? steadyMs };
    // A push that was just rejected is not retried at once.
    if (this.#nextTrialMs === 0) this.tried(steadyMs);
  }
}

function judgeOne(outcome: Outcome, target: Target | undefined, isBelievable: boolean): Outcome {
  if (!canBeOurs(outcome)) return outcome;
  return isBelievable && !isKnownAsGood(target) ? outcome : { kind: 'held', reason: outcome.reason, isSent: true };
}

function isKnownAsGood(target: Target | undefined): boolean {
  return target?.wasAccepted === true && !target.isQuarantined;
}

function canBeOurs(outcome: Outcome): outcome is Extract<Outcome, { kind: 'unregistered' }> {
  return outcome.kind === 'unregistered' && outcome.quarantine === true;
}
