import type { After } from '../process/clock.ts';
import type { Lane } from '../push.ts';
import { lruCache } from '../values/lru-cache.ts';
import type { OpenClaim } from './open-claims.ts';

/** Wakes one waiting loop. A wake-up while nothing waits is kept. */
export class Signal {
  readonly #after: After;
  #isSet = false;
  #wake: (() => void) | null = null;

  constructor(after: After) {
    this.#after = after;
  }

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves at the next `set`, for an earlier unused `set`, or after `timeoutMs` (Infinity: never). */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSet && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const cancel = Number.isFinite(timeoutMs) ? this.#after(timeoutMs, resolve) : () => {};
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#isSet = false;
  }
}

/**
 * Keeps a provider's quota: at most `perMinute` in any 60 seconds, evenly. The bucket holds one second's worth, at
 * least one send. It fills so slowly that a full bucket plus a minute's filling is the quota.
 */
export class TokenBucket {
  readonly #perMinute: number;
  #processes = 1;
  #capacity = 0;
  #perMs = 0;
  #tokens = 0;
  #filledAtMs: number;

  constructor(perMinute: number, steadyMs: number) {
    this.#perMinute = perMinute;
    this.#filledAtMs = steadyMs;
    this.#takeShare(perMinute);
    this.#tokens = this.#capacity;
  }

  /**
   * Divides the quota evenly among processes, at least one send a minute each. If more share it, all begin with empty
   * buckets, as do new ones. If fewer, they pay for what the departed may have sent at once.
   */
  divide(processes: number, steadyMs: number): void {
    this.#fill(steadyMs);
    const gone = this.#processes - processes;
    this.#tokens = gone < 0 ? 0 : this.#tokens - (gone * this.#capacity) / processes;
    this.#processes = processes;
    this.#takeShare(Math.max(1, Math.floor(this.#perMinute / processes)));
  }

  available(steadyMs: number): number {
    this.#fill(steadyMs);
    return Math.max(0, Math.floor(this.#tokens + ROUNDING));
  }

  /** Takes `sends`, at most those available. */
  take(sends: number): void {
    this.#tokens -= sends;
  }

  /** Returns the ms to the next send; 0: now. */
  waitMs(steadyMs: number): number {
    if (this.available(steadyMs) >= 1) return 0;
    return Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  #fill(steadyMs: number): void {
    const filled = this.#tokens + Math.max(0, steadyMs - this.#filledAtMs) * this.#perMs;
    this.#tokens = Math.min(this.#capacity, filled);
    this.#filledAtMs = Math.max(this.#filledAtMs, steadyMs);
  }

  #takeShare(perMinute: number): void {
    this.#capacity = Math.max(1, Math.floor(perMinute / 61));
    // Only a full bucket at the window's start makes the last token useless; shares need it.
    const last = this.#processes === 1 ? 1 : 0;
    this.#perMs = Math.max(1, perMinute - this.#capacity + last) / 60_000;
  }
}

/** Tolerance for the rounding of many small additions. */
const ROUNDING = 1e-9;

/** Remembered workspaces and devices; forgotten ones count as new. */
const MOST_REMEMBERED = 1_000;

/**
 * Chooses the push that probes a paused route. Prefers a device accepted before, whose failure says something about the
 * route. Lanes take turns, then workspaces, then devices, so undeliverable pushes cannot keep a route closed.
 */
export class ProbeTurns {
  readonly #lanes = new Map<Lane, number>();
  readonly #workspaces = lruCache<number, number>(MOST_REMEMBERED);
  readonly #devices = lruCache<number, number>(MOST_REMEMBERED);
  #count = 0;

  choose(claims: readonly OpenClaim[]): OpenClaim | undefined {
    const [first] = claims.map((claim) => ({ claim, rank: this.#rankOf(claim) })).sort(byRank);
    if (first) this.#remember(first.claim);
    return first?.claim;
  }

  /** Lower is sooner; the weightiest comes first. */
  #rankOf({ lane, targets: [target], events: [event] }: OpenClaim): readonly number[] {
    return [
      target?.wasAccepted && !target.isQuarantined ? 0 : 1,
      this.#lanes.get(lane) ?? 0,
      this.#workspaces.get(event?.workspaceId ?? 0) ?? 0,
      this.#devices.get(target?.deviceId ?? 0) ?? 0,
    ];
  }

  #remember({ lane, targets: [target], events: [event] }: OpenClaim): void {
    this.#count += 1;
    this.#lanes.set(lane, this.#count);
    if (event) this.#workspaces.set(event.workspaceId, this.#count);
    if (target) this.#devices.set(target.deviceId, this.#count);
  }
}

function byRank(
  { rank: ranks }: { readonly rank: readonly number[] },
  { rank: otherRanks }: { rank: readonly number[] },
) {
  const place = ranks.findIndex((value, index) => value !== otherRanks[index]);
  return place === -1 ? 0 : (ranks[place] ?? 0) - (otherRanks[place] ?? 0);
}
