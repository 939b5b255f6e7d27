import type { Lane, Route } from '../../../push.ts';
import type { ClaimId } from '../../calls.ts';

/** Part of a claim: a fan-out's page, or an event's due retries. */
export interface HeldPart {
  /** The id of its row in `claim`. */
  readonly id: number;
  /** This node's request that claimed it. */
  readonly request: number;
  readonly workspaceId: number;
  readonly eventId: number;
  channelId: number | null;
  /** The node that holds the links; 0: any node may send it. */
  readonly home: number;
  readonly isPage: boolean;
  /** The time of reading its targets, by the database's wall clock. */
  readAtMs: number;
  /** Unsettled targets. */
  open: number;
  /** Set after an unanswered settlement: some targets may be settled. */
  isUncertain?: true;
}

export interface HeldClaim {
  readonly claimId: ClaimId;
  readonly order: number;
  readonly route: Route;
  readonly lane: Lane;
  readonly parts: readonly HeldPart[];
  readonly deviceIds: readonly number[];
  /** Per target: its part, or null once settled. */
  readonly openPart: (HeldPart | null)[];
}

/**
 * The targets of this node's claims. The database stores only each claim's range; after a crash, other nodes read the
 * targets again.
 */
export class HeldClaims {
  readonly #held = new Map<ClaimId, HeldClaim>();
  /** Requests of unsettled and unreleased parts, by part id. */
  readonly #parts = new Map<number, number>();
  #lastOrder = 0;

  hold(
    route: Route,
    lane: Lane,
    targets: readonly { readonly part: HeldPart; readonly deviceId: number }[],
  ): HeldClaim {
    const order = ++this.#lastOrder;
    const claim: HeldClaim = {
      claimId: String(order),
      order,
      route,
      lane,
      parts: [...new Set(targets.map(({ part }) => part))],
      deviceIds: targets.map(({ deviceId }) => deviceId),
      openPart: targets.map(({ part }) => part),
    };
    this.#held.set(claim.claimId, claim);
    for (const { id, request } of claim.parts) this.#parts.set(id, request);
    return claim;
  }

  /** Whether this node holds the part, as far as known. */
  has(partId: number): boolean {
    return this.#parts.has(partId);
  }

  /** Whether no newer part has the same id, which happens if the database has lost the earlier part. */
  isCurrent({ id, request }: HeldPart): boolean {
    return this.#parts.get(id) === request;
  }

  /** Forgets parts that the database assigns elsewhere. */
  forget(parts: Iterable<HeldPart>): void {
    for (const part of parts) if (this.isCurrent(part)) this.#parts.delete(part.id);
  }

  find(claimId: ClaimId): HeldClaim | undefined {
    return this.#held.get(claimId);
  }

  /** Settles targets. Returns how to undo this. */
  settle(claim: HeldClaim, indexes: readonly number[]): () => void {
    const parts = indexes.map((index) => claim.openPart[index] ?? null);
    for (const [place, index] of indexes.entries()) {
      claim.openPart[index] = null;
      const part = parts[place];
      if (part) part.open -= 1;
    }
    if (claim.parts.every(({ open }) => open === 0)) this.#held.delete(claim.claimId);
    return () => {
      this.#held.set(claim.claimId, claim);
      for (const [place, index] of indexes.entries()) {
        const part = parts[place] ?? null;
        claim.openPart[index] = part;
        if (part) part.open += 1;
      }
    };
  }

  /** Forgets all claims: other nodes own them. */
  clear(): void {
    this.#held.clear();
    this.#parts.clear();
  }

  drop({ claimId, parts }: HeldClaim): void {
    this.#held.delete(claimId);
    this.forget(parts);
  }
}
