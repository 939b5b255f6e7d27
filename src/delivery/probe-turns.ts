import type { Lane } from '../push.ts';
import { lruCache } from '../values/lru-cache.ts';
import type { OpenClaim } from './open-claims.ts';

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
