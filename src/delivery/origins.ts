import { pushServiceOf } from '../contract/addresses.ts';
import { type Outcome, platformOf, type Route, type Target } from '../push.ts';
import { lruCache } from '../values/lru-cache.ts';

/** Push services have a host or two, Microsoft one for each region. The hosts unused for longest are forgotten. */
const MOST_ORIGINS = 100;
/** An origin that accepted so lately shows that the way out is open: another one that fails does so alone. */
const LATELY_MS = 60_000;
/** So often a signature may be refused for a device that was never accepted: beyond that the device counts as dead. */
const TRIES_OF_THE_UNPROVEN = 5;

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
        if (target.wasAccepted && !this.#isAcceptedElsewhere(target, steadyMs)) return outcome;
        if (target.wasAccepted || (isGood && !isSpent(target))) return deferred(outcome.reason);
        // The quarantine decides, by what becomes of others.
        return { kind: 'unregistered', reason: outcome.reason, quarantine: true };
      // A connection that was not made says nothing about the device, however often it was tried.
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
