import type { Outcome, Sent, Target } from '../push.ts';
import { type RetryPolicy, waitOf } from './retry.ts';

/** Since when devices have been refused without evidence of whose fault it is. `reason`: the latest. Steady times. */
export interface Unproven {
  readonly reason: string;
  readonly sinceMs: number;
}

/**
 * Distinguishes dead devices from our own mistakes. Tokens of a wrong environment, topic or project are rejected in the
 * same words as dead tokens, so such a rejection alone decides nothing. The device is *quarantined*: its pushes are
 * held in their own lane (on the disk, so a restart loses none), and other devices' pushes go on. An acceptance proves
 * that credentials, topic and environment are right, and held pushes are retried. A later rejection is believed: at
 * once for a device that was never accepted, otherwise the second time, a while later. Vendors report a good token that
 * has ended as unregistered, never as malformed. So the first such rejection counts against us, and the route is no
 * longer good until a push sent after it is accepted. Without evidence no device is deactivated, and new pushes to
 * quarantined devices are held unsent. A batch of held pushes is retried at growing intervals, which detects when the
 * mistake is fixed. Undecided pushes wait for the operator (`device prune`), or expire. New credentials start without
 * evidence.
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

  /** Something was accepted since the last refusal that nothing explains. */
  get isGood(): boolean {
    return this.#isGood;
  }

  /**
   * Grows whenever the route becomes good or stops being good. Outcomes count as evidence only in the turn in which
   * their pushes were sent.
   */
  get turn(): number {
    return this.#turn;
  }

  /** When held pushes may be tried; while the route is not good, one batch at a time. */
  get nextTrialMs(): number {
    return this.#isGood ? 0 : this.#nextTrialMs;
  }

  /** Whether a new push to this device is held unsent. A device that was accepted before waits even on a good route. */
  isHeld({ isQuarantined, wasAccepted }: Target): boolean {
    return isQuarantined && (wasAccepted || !this.#isGood);
  }

  /** The outcomes in the light of all others. `turn`: the one in which their pushes were sent. */
  judge(answers: readonly Sent[], targets: readonly Target[], turn: number, steadyMs: number): readonly Sent[] {
    const targetOf = ({ index }: Sent) => targets[index];
    const speaksAgainst = (sent: Sent) => canBeOurs(sent.outcome) && isKnownAsGood(targetOf(sent));
    if (this.#isGood && answers.some(speaksAgainst)) this.#become(false);
    const isProven = answers.some(({ outcome }) => outcome.kind === 'accepted');
    if (isProven && !this.#isGood && turn === this.#turn) this.#become(true);
    const isBelievable = this.#isGood && turn === this.#turn;
    const judged = answers.map((sent) => ({ ...sent, outcome: judgeOne(sent.outcome, targetOf(sent), isBelievable) }));
    const held = judged.find(({ outcome }) => outcome.kind === 'held' && outcome.isSent);
    if (held && !this.#isGood && 'reason' in held.outcome) this.#noteRefusal(held.outcome.reason, steadyMs);
    return judged;
  }

  /** A batch of held pushes has been claimed. */
  tried(steadyMs: number): void {
    if (this.#isGood) return;
    const { retryFirstMs, retryMaxMs } = this.#policy;
    this.#nextTrialMs = steadyMs + waitOf(retryFirstMs, this.#trials, retryMaxMs, undefined, this.#random);
    this.#trials += 1;
  }

  /** New credentials: earlier outcomes are no evidence about them. */
  reset(): void {
    this.#become(false);
    this.hurry();
  }

  /** Held pushes may be tried at once. */
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
