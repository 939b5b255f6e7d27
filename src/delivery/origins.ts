import { pushServiceOf } from '../contract/addresses.ts';
import { type Outcome, platformOf, type Route, type Target } from '../push.ts';
import { lruCache } from '../values/lru-cache.ts';

/** Push services have a host or two, Microsoft one for each region. Those that were not heard of for longest are forgotten. */
const MOST_ORIGINS = 100;
/** An origin that accepted so lately shows that the way out is open: another one that fails does so alone. */
const LATELY_MS = 60_000;
/** Failures of a device that was never accepted, at an origin that never accepted: beyond them it counts as dead. */
const TRIES_OF_THE_UNPROVEN = 5;

/** Faults for which a host can be to blame; others, such as `not_sent`, are ours. */
const NO_ANSWER: ReadonlySet<string> = new Set(['connect_failed', 'timeout', 'connection_lost', 'unreadable_answer']);

/**
 * Distinguishes a provider that is down from an address that never answers. A browser names the host of its push
 * service itself, so a failure there says something about the route only if that host has accepted a push before. The
 * hosts of Apple's and Google's own services are the operator's.
 */
export class Origins {
  readonly #isNamedByDevices: boolean;
  readonly #route: Route;
  /** When an origin last accepted a push, steady time. */
  readonly #acceptedAtMs = lruCache<string, number>(MOST_ORIGINS);

  constructor(route: Route) {
    this.#route = route;
    this.#isNamedByDevices = platformOf(route) === 'web';
  }

  /** Whether what happens to a push for this device says anything about the route. */
  isEvidence(target: Target): boolean {
    return !this.#isNamedByDevices || target.wasAccepted || this.#acceptedAtMs.has(this.#originOf(target));
  }

  accepted(target: Target, steadyMs: number): void {
    if (this.#isNamedByDevices) this.#acceptedAtMs.set(this.#originOf(target), steadyMs);
  }

  /**
   * The outcome as it concerns the device alone, unless it concerns the route. `isGood`: the route accepts pushes, so
   * our credentials are right.
   */
  weigh(outcome: Outcome, target: Target, isGood: boolean, steadyMs: number): Outcome {
    if (!this.#isNamedByDevices) return outcome;
    switch (outcome.kind) {
      case 'unauthorized':
        if (target.wasAccepted && !this.#othersAccept(target, steadyMs)) return outcome;
        return this.#ofDevice(outcome.reason, target, !isGood || this.#isSpent(target));
      case 'unavailable':
        if (this.isEvidence(target) && !this.#othersAccept(target, steadyMs)) return outcome;
        return this.#ofDevice(outcome.reason, target, this.#isSpent(target) && !this.isEvidence(target));
      case 'deferred': {
        const isUnreachable = NO_ANSWER.has(outcome.reason) && this.#isSpent(target) && !this.isEvidence(target);
        return isUnreachable ? this.#ofDevice(outcome.reason, target, true) : outcome;
      }
      default:
        return outcome;
    }
  }

  /** `mayBeDead`: the quarantine decides, by what becomes of others. */
  #ofDevice(reason: string, { wasAccepted }: Target, mayBeDead: boolean): Outcome {
    if (mayBeDead && !wasAccepted) return { kind: 'unregistered', reason, quarantine: true };
    return { kind: 'deferred', reason, pace: 'fault' };
  }

  #isSpent({ attempts }: Target): boolean {
    return attempts + 1 >= TRIES_OF_THE_UNPROVEN;
  }

  #othersAccept(target: Target, steadyMs: number): boolean {
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
