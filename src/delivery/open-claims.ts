import type { Clock } from '../clock.ts';
import type { Claim, ClaimAnswer, ClaimedEvent, ClaimId, End } from '../store/calls.ts';

/** A claim whose pushes are out. */
export interface OpenClaim extends Claim {
  /** When it was asked for, by the relay's steady clock: a little before it was made. */
  readonly askedAtMs: number;
  /** One byte for each target, in their order, in memory that all threads share; see push.ts. */
  readonly recalls: Uint8Array;
}

/** What is left of the life of the event at this place of the claim; not above 0: nothing. */
export function leftMs({ events, askedAtMs }: OpenClaim, place: number, steadyMs: number): number {
  return (events[place]?.leftMs ?? 0) - (steadyMs - askedAtMs);
}

/**
 * What the relay has out, and may have to take back. The store tells of each end before anybody gets the answer of the call that
 * made it; by then everything concerned is marked here, or will be as it arrives. So a removal that is answered holds.
 */
export class OpenClaims {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #open = new Map<ClaimId, OpenClaim>();
  /** The ends that were told since each question that has no answer yet: its claims may have been made before them. */
  readonly #asking = new Set<End[]>();

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
  }

  /** Asks the store for claims, and takes them. */
  async ask(
    question: () => Promise<ClaimAnswer>,
  ): Promise<Omit<ClaimAnswer, 'claims'> & { readonly claims: readonly OpenClaim[] }> {
    const askedAtMs = this.#clock.steadyMs();
    const told: End[] = [];
    this.#asking.add(told);
    try {
      const { claims, ...answer } = await question();
      return { ...answer, claims: this.take(claims, askedAtMs, told) };
    } finally {
      this.#asking.delete(told);
    }
  }

  /** `told`: what has ended since they were asked for. */
  take(claims: readonly Claim[], askedAtMs = this.#clock.steadyMs(), told: readonly End[] = []): readonly OpenClaim[] {
    const taken = claims.map((claim): OpenClaim => {
      const recalls = new Uint8Array(new SharedArrayBuffer(claim.targets.length));
      return { ...claim, askedAtMs, recalls };
    });
    for (const claim of taken) this.#open.set(claim.claimId, claim);
    mark(taken, told);
    return taken;
  }

  /** Nothing of it is out any more. */
  close({ claimId }: OpenClaim): void {
    this.#open.delete(claimId);
  }

  recall(ends: readonly End[]): void {
    for (const told of this.#asking) told.push(...ends);
    mark(this.#open.values(), ends);
  }
}

/** One pass over all that is out: that is bounded, and an end is rare. */
function mark(claims: Iterable<OpenClaim>, ends: readonly End[]): void {
  if (ends.length === 0) return;
  const byDevice = Map.groupBy(ends, ({ deviceId }) => deviceId);
  for (const claim of claims) {
    for (const [index, { deviceId, event }] of claim.targets.entries()) {
      const its = claim.events[event];
      const concerning = [...(byDevice.get(deviceId) ?? []), ...(byDevice.get(null) ?? [])];
      if (its && concerning.some((end) => isOf(end, claim, its))) Atomics.store(claim.recalls, index, 1);
    }
  }
}

function isOf({ workspaceId, channelId, eventId, upTo }: End, { order }: Claim, event: ClaimedEvent): boolean {
  return (
    order <= upTo &&
    (workspaceId === null || workspaceId === event.workspaceId) &&
    (channelId === null || channelId === event.channelId) &&
    (eventId === null || eventId === event.eventId)
  );
}
