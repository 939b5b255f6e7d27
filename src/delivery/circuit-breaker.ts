import { pushServiceOf } from '../contract/addresses.ts';
import { type Outcome, platformOf, type Route, type Sent, type Target, unreachable } from '../push.ts';
import { lruCache } from '../values/lru-cache.ts';
import { Quarantine } from './quarantine.ts';
import { probeWaitOf, type RetryPolicy } from './retry.ts';

/**
 * The reason why a route does not send, and since when (steady time). `off`: its provider has no usable credentials.
 * `operator`: `route pause`. `words`: the system's, for a connection that failed.
 */
export interface Pause {
  readonly kind: 'unavailable' | 'unauthorized' | 'off' | 'operator';
  readonly reason: string;
  readonly words?: string | undefined;
  readonly sinceMs: number;
  readonly nextProbeMs: number;
}

/** Outcomes of a batch or part. `targets`: the whole batch. `turn`: of the quarantine when sent. */
export interface AnsweredBatch {
  readonly answers: readonly Sent[];
  readonly targets: readonly Target[];
  readonly turn: number;
}

/** So many devices in a row, or outcomes after a silence, concern the route, not single pushes. */
const STREAK = 20;
/**
 * Resets, timeouts and requests to slow down pause a route only after so long without any other outcome. One broken
 * connection may cause many resets and timeouts, and a provider may throttle a single device.
 */
const SILENCE_MS = 10_000;

/** Faults and postponed pushes since the last answer about a device. */
interface Streak {
  fault: number;
  busy: number;
  readonly busyDevices: Set<number>;
}

/**
 * Decides whether a route may send, and (`quarantine`) whether to believe reports of dead tokens. A pause's first
 * reason stands until a probe: outcomes in flight do not prolong it. An operator's pause overrides all others, and
 * stops probes. Nothing a member registers pauses a route: failures of a browser's own host count for that host
 * (`Origins`). Once the route has accepted anything, only devices accepted before make a streak.
 */
export class CircuitBreaker {
  readonly quarantine: Quarantine;
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  readonly #origins: Origins;
  #pause: Pause | null = null;
  #operators: Pause | null = null;
  #streak = noStreak();
  #hasAccepted = false;
  #lastAnswerMs: number;

  constructor(route: Route, policy: RetryPolicy, steadyMs: number, random: () => number) {
    this.quarantine = new Quarantine(policy, random);
    this.#origins = new Origins(route);
    this.#policy = policy;
    this.#random = random;
    this.#lastAnswerMs = steadyMs;
  }

  get pause(): Pause | null {
    return this.#operators ?? this.#pause;
  }

  /** Counts outcomes, and judges them by all others. */
  judge(batch: AnsweredBatch, steadyMs: number): readonly Sent[] {
    const { targets, turn } = batch;
    const answers = this.#weigh(batch, steadyMs);
    for (const { outcome, index } of answers) this.#note(outcome, targets[index], steadyMs);
    return this.quarantine.judge(answers, targets, turn, steadyMs);
  }

  /**
   * Handles the outcome of a probe. Resumes the route once its provider answers about the device itself. If devices
   * name their provider, the answer must come from a known one.
   */
  probed(batch: AnsweredBatch, steadyMs: number): readonly Sent[] {
    const { answers, targets } = batch;
    const pause = this.#pause;
    // Nothing was sent: the pause stands, and the next probe need not wait.
    if (!pause || answers.every(({ outcome }) => outcome.kind === 'recalled' || isUnsent(outcome))) return answers;
    const isOfProvider = ({ index, outcome }: Sent) => {
      const target = targets[index];
      return outcome.kind === 'accepted' || (target !== undefined && this.#origins.isEvidence(target));
    };
    const ofProvider = answers.filter(isOfProvider).flatMap(({ outcome }) => (outcome.kind === 'held' ? [] : outcome));
    this.#goOn(steadyMs);
    const judged = this.judge(batch, steadyMs);
    if (ofProvider.some(isAboutDevice)) return judged;
    const [outcome] = ofProvider;
    const kind = outcome?.kind === 'unauthorized' || outcome?.kind === 'unavailable' ? outcome.kind : pause.kind;
    const found = outcome && 'reason' in outcome ? outcome : pause;
    this.#pause = null;
    this.#pauseFor(kind, found, steadyMs, pause.sinceMs);
    return judged;
  }

  /** Forgets what was seen before, because the credentials are new. */
  reset(steadyMs: number): void {
    this.#goOn(steadyMs);
    this.#hasAccepted = false;
    this.quarantine.reset();
  }

  switchOff(reason: string, steadyMs: number): void {
    const sinceMs = this.#pause?.kind === 'off' ? this.#pause.sinceMs : steadyMs;
    this.#pause = { kind: 'off', reason, sinceMs, nextProbeMs: Number.POSITIVE_INFINITY };
  }

  /** Sets an operator's pause, which only operators end; null: none. */
  hold(sinceMs: number | null): void {
    const reason = 'an operator paused it';
    this.#operators =
      sinceMs === null ? null : { kind: 'operator', reason, sinceMs, nextProbeMs: Number.POSITIVE_INFINITY };
  }

  /** The next probe is due at once. */
  hurry(steadyMs: number): void {
    this.quarantine.hurry();
    if (this.#pause && this.#pause.kind !== 'off') this.#pause = { ...this.#pause, nextProbeMs: steadyMs };
  }

  /** Makes the probe due, unless the provider named a time. */
  tryRefused(steadyMs: number): void {
    if (this.#pause === null || this.#pause.kind === 'unauthorized') this.hurry(steadyMs);
  }

  #goOn(steadyMs: number): void {
    this.#pause = null;
    this.#streak = noStreak();
    this.#lastAnswerMs = steadyMs;
  }

  /** Turns faults of a device's own host into outcomes of that device alone. */
  #weigh({ answers, targets }: AnsweredBatch, steadyMs: number): readonly Sent[] {
    for (const { outcome, index } of answers) {
      const target = targets[index];
      if (outcome.kind !== 'accepted' || !target) continue;
      this.#hasAccepted = true;
      this.#origins.accepted(target, steadyMs);
    }
    return answers.map((sent) => {
      const target = targets[sent.index];
      if (!target || isAboutDevice(sent.outcome)) return sent;
      return { ...sent, outcome: this.#origins.weigh(sent.outcome, target, this.quarantine.isGood, steadyMs) };
    });
  }

  #note(outcome: Outcome, target: Target | undefined, steadyMs: number): void {
    if (isAboutDevice(outcome)) {
      this.#streak = noStreak();
      this.#lastAnswerMs = steadyMs;
      return;
    }
    switch (outcome.kind) {
      case 'deferred':
        if (!target || !this.#isCounted(target)) return;
        if (this.#isStreak(outcome.pace, target, steadyMs)) {
          this.#pauseFor(
            'unavailable',
            { ...outcome, reason: `the provider answered only ${outcome.reason}` },
            steadyMs,
          );
        }
        return;
      case 'unavailable':
      case 'unauthorized':
        this.#pauseFor(outcome.kind, outcome, steadyMs);
        return;
      case 'recalled':
      case 'held':
        return;
      default:
        unreachable(outcome);
    }
  }

  /** Tells whether a postponed push may be the route's fault. */
  #isCounted(target: Target): boolean {
    return target.wasAccepted || (!this.#hasAccepted && this.#origins.isEvidence(target));
  }

  #isStreak(pace: 'fault' | 'busy', { deviceId }: Target, steadyMs: number): boolean {
    const streak = this.#streak;
    streak[pace] += 1;
    if (pace === 'busy') streak.busyDevices.add(deviceId);
    if (streak.busyDevices.size >= STREAK) return true;
    return streak[pace] >= STREAK && steadyMs - this.#lastAnswerMs >= SILENCE_MS;
  }

  #pauseFor(kind: Pause['kind'], { reason, words, retryAfterS }: Found, steadyMs: number, sinceMs = steadyMs): void {
    if (this.#pause) return;
    const nextProbeMs = steadyMs + probeWaitOf(this.#policy, retryAfterS, this.#random);
    this.#pause = { kind, reason, sinceMs, nextProbeMs, ...(words !== undefined && { words }) };
  }
}

interface Found {
  readonly reason: string;
  readonly words?: string | undefined;
  readonly retryAfterS?: number | undefined;
}

function noStreak(): Streak {
  return { fault: 0, busy: 0, busyDevices: new Set() };
}

function isUnsent(outcome: Outcome): boolean {
  return outcome.kind === 'held' && !outcome.isSent;
}

/** Tells whether the answer concerns the device, not connection or credentials. */
function isAboutDevice(
  outcome: Outcome,
): outcome is Extract<Outcome, { kind: 'accepted' | 'unregistered' | 'rejected' }> {
  return outcome.kind === 'accepted' || outcome.kind === 'unregistered' || outcome.kind === 'rejected';
}

/** Push services have one or two hosts, Microsoft one per region. Drops the least recently used. */
const MOST_ORIGINS = 100;
/** After an acceptance this recent the way out is open, so another origin fails alone. */
const LATELY_MS = 60_000;
/** Signature refusals before a never accepted device counts as dead. */
const TRIES_OF_THE_UNPROVEN = 5;

/**
 * Distinguishes a provider that is down from an address that never answers. Browsers name their push service's host, so
 * a failure there concerns the route only if that host accepted a push before. Apple's and Google's own hosts are the
 * operator's.
 */
class Origins {
  readonly #isNamedByDevices: boolean;
  readonly #route: Route;
  /** Origins' last acceptance, steady time. */
  readonly #acceptedAtMs = lruCache<string, number>(MOST_ORIGINS);

  constructor(route: Route) {
    this.#route = route;
    this.#isNamedByDevices = platformOf(route) === 'web';
  }

  /** Tells whether this device's outcomes say anything about the route. */
  isEvidence(target: Target): boolean {
    return !this.#isNamedByDevices || target.wasAccepted || this.#acceptedAtMs.has(this.#originOf(target));
  }

  accepted(target: Target, steadyMs: number): void {
    if (this.#isNamedByDevices) this.#acceptedAtMs.set(this.#originOf(target), steadyMs);
  }

  /**
   * Narrows an outcome to the device unless it concerns the route. `isGood`: the route accepts, so credentials are
   * right.
   */
  weigh(outcome: Outcome, target: Target, isGood: boolean, steadyMs: number): Outcome {
    if (!this.#isNamedByDevices) return outcome;
    switch (outcome.kind) {
      case 'unauthorized':
        if (target.wasAccepted && !this.#isAcceptedElsewhere(target, steadyMs)) return outcome;
        if (target.wasAccepted || (isGood && !isSpent(target))) return deferred(outcome.reason);
        // Leaves it to the quarantine, by others' outcomes.
        return { kind: 'unregistered', reason: outcome.reason, quarantine: true };
      // A failed connection says nothing about the device, however often.
      case 'unavailable':
        if (this.isEvidence(target) && !this.#isAcceptedElsewhere(target, steadyMs)) return outcome;
        return deferred(outcome.reason);
      default:
        return outcome;
    }
  }

  #isAcceptedElsewhere(target: Target, steadyMs: number): boolean {
    const origin = this.#originOf(target);
    for (const [other, atMs] of this.#acceptedAtMs.entries()) {
      if (other !== origin && steadyMs - atMs < LATELY_MS) return true;
    }
    return false;
  }

  #originOf({ token }: Target): string {
    return pushServiceOf(platformOf(this.#route), token) ?? '';
  }
}

function isSpent({ attempts }: Target): boolean {
  return attempts + 1 >= TRIES_OF_THE_UNPROVEN;
}

function deferred(reason: string): Outcome {
  return { kind: 'deferred', reason, pace: 'fault' };
}
