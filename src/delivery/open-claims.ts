import type { Clock } from '../clock.ts';
import type { Claim, ClaimAnswer, ClaimedEvent, ClaimId, End } from '../store/calls.ts';

/** A claim in flight. */
export interface OpenClaim extends Claim {
  /** When it was requested, by the relay's steady clock: slightly before it was made. */
  readonly askedAtMs: number;
  /** One byte for each target, in memory that all threads share; see Batch in push.ts. */
  readonly recalls: Uint8Array;
}

/** The remaining time to live of the event at this index of the claim; 0 or less: it has expired. */
export function leftMs({ events, askedAtMs }: OpenClaim, place: number, steadyMs: number): number {
  return (events[place]?.leftMs ?? 0) - (steadyMs - askedAtMs);
}

/**
 * The claims in flight, whose pushes may have to be recalled. The store reports each end before it answers the call
 * that caused it: by then every push concerned is marked here, or will be when its claim arrives. So a removal holds
 * once it is answered.
 */
export class OpenClaims {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #open = new Map<ClaimId, OpenClaim>();
  /** For each pending request, the ends reported since: its claims may have been made before them. */
  readonly #asking = new Set<End[]>();

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
  }

  /** Requests claims from the store, and takes them. */
  async ask(
    request: () => Promise<ClaimAnswer>,
  ): Promise<Omit<ClaimAnswer, 'claims'> & { readonly claims: readonly OpenClaim[] }> {
    const askedAtMs = this.#clock.steadyMs();
    const ended: End[] = [];
    this.#asking.add(ended);
    try {
      const { claims, ...answer } = await request();
      return { ...answer, claims: this.take(claims, askedAtMs, ended) };
    } finally {
      this.#asking.delete(ended);
    }
  }

  /** `ended`: ends reported since they were requested. */
  take(claims: readonly Claim[], askedAtMs = this.#clock.steadyMs(), ended: readonly End[] = []): readonly OpenClaim[] {
    const taken = claims.map((claim): OpenClaim => {
      const recalls = new Uint8Array(new SharedArrayBuffer(claim.targets.length));
      return { ...claim, askedAtMs, recalls };
    });
    for (const claim of taken) this.#open.set(claim.claimId, claim);
    mark(taken, ended);
    return taken;
  }

  /** All of its pushes are settled. */
  close({ claimId }: OpenClaim): void {
    this.#open.delete(claimId);
  }

  recall(ends: readonly End[]): void {
    for (const ended of this.#asking) ended.push(...ends);
    mark(this.#open.values(), ends);
  }
}

/** One pass over all claims in flight: they are bounded, and ends are rare. */
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
