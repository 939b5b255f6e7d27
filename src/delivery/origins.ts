import { pushServiceOf } from '../contract/addresses.ts';
import { type Outcome, platformOf, type Route, type Target } from '../push.ts';
import { lruCache } from '../values/lru-cache.ts';

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
export class Origins {
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
