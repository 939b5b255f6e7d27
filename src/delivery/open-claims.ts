import type { Clock } from '../process/clock.ts';
import type { Route } from '../push.ts';
import type { Claim, ClaimAnswer, ClaimedEvent, ClaimId, Revocation } from '../store/calls.ts';

export interface OpenClaim extends Claim {
  /** Time of the request (steady clock), slightly before the claim. */
  readonly askedAtMs: number;
  /** A byte per target in shared memory; see Batch in push.ts. */
  readonly revoked: Uint8Array;
}

/** Returns the event's remaining time to live; 0 or less: expired. */
export function leftMs({ events, askedAtMs }: OpenClaim, place: number, steadyMs: number): number {
  return (events[place]?.leftMs ?? 0) - (steadyMs - askedAtMs);
}

/**
 * Tracks the claims in flight, whose pushes may have to be revoked. The store reports each revocation before it answers
 * the call that caused it. By then each affected push is marked here, or will be when its claim arrives. So a removal
 * holds once it is answered.
 */
export class OpenClaims {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #open = new Map<ClaimId, OpenClaim>();
  /** Revocations during each pending request, whose claims may precede them. */
  readonly #asking = new Set<Revocation[]>();

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
  }

  async ask(
    request: () => Promise<ClaimAnswer>,
  ): Promise<Omit<ClaimAnswer, 'claims'> & { readonly claims: readonly OpenClaim[] }> {
    const askedAtMs = this.#clock.steadyMs();
    const revocations: Revocation[] = [];
    this.#asking.add(revocations);
    try {
      const { claims, ...answer } = await request();
      return { ...answer, claims: this.take(claims, askedAtMs, revocations) };
    } finally {
      this.#asking.delete(revocations);
    }
  }

  /** `revocations`: reported since they were requested. */
  take(
    claims: readonly Claim[],
    askedAtMs = this.#clock.steadyMs(),
    revocations: readonly Revocation[] = [],
  ): readonly OpenClaim[] {
    const taken = claims.map((claim): OpenClaim => {
      const revoked = new Uint8Array(new SharedArrayBuffer(claim.targets.length));
      return { ...claim, askedAtMs, revoked };
    });
    for (const claim of taken) this.#open.set(claim.claimId, claim);
    mark(taken, revocations);
    return taken;
  }

  /** All of its pushes are settled. */
  close({ claimId }: OpenClaim): void {
    this.#open.delete(claimId);
  }

  /** Recalls the route's unwritten claims, which wait in the queue. */
  recall(route: Route): void {
    for (const claim of this.#open.values()) if (claim.route === route) claim.revoked.fill(1);
  }

  revoke(revocations: readonly Revocation[]): void {
    for (const asking of this.#asking) asking.push(...revocations);
    mark(this.#open.values(), revocations);
  }
}

/** Marks in one pass: claims are bounded, revocations rare. */
function mark(claims: Iterable<OpenClaim>, revocations: readonly Revocation[]): void {
  if (revocations.length === 0) return;
  const byDevice = Map.groupBy(revocations, ({ deviceId }) => deviceId);
  for (const claim of claims) {
    for (const [index, { deviceId, event }] of claim.targets.entries()) {
      const claimedEvent = claim.events[event];
      const concerning = [...(byDevice.get(deviceId) ?? []), ...(byDevice.get(null) ?? [])];
      if (claimedEvent && concerning.some((revocation) => isOf(revocation, claim, claimedEvent)))
        Atomics.store(claim.revoked, index, 1);
    }
  }
}

function isOf({ workspaceId, channelId, eventId, upTo }: Revocation, { order }: Claim, event: ClaimedEvent): boolean {
  return (
    order <= upTo &&
    (workspaceId === null || workspaceId === event.workspaceId) &&
    (channelId === null || channelId === event.channelId) &&
    (eventId === null || eventId === event.eventId)
  );
}
