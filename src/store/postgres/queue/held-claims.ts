import type { Lane, Route } from '../../../push.ts';
import type { ClaimId } from '../../calls.ts';

/** A part of a claim: a page of a fan-out, or the due retries of an event. */
export interface HeldPart {
  /** The id of its row in `claim`. */
  readonly id: number;
  /** The number of this node's request that claimed it. */
  readonly request: number;
  readonly workspaceId: number;
  readonly eventId: number;
  channelId: number | null;
  /** The node that holds the links; 0: any node may send it. */
  readonly home: number;
  readonly isPage: boolean;
  /** The time at which its targets were read, by the database's wall clock. */
  readAtMs: number;
  /** The number of targets that are not settled yet. */
  open: number;
  /** Set after a settlement without an answer: some targets may be settled already. */
  isUncertain?: true;
}

export interface HeldClaim {
  readonly claimId: ClaimId;
  readonly order: number;
  readonly route: Route;
  readonly lane: Lane;
  readonly parts: readonly HeldPart[];
  readonly deviceIds: readonly number[];
  /** One entry for each target: its part, or null once it is settled. */
  readonly openPart: (HeldPart | null)[];
}

/**
 * The targets of this node's claims. The database stores only the range of each claim, not the targets it was handed
 * out for. After a crash, other nodes read the targets again.
 */
export class HeldClaims {
  readonly #held = new Map<ClaimId, HeldClaim>();
  /** The requests of the parts that are not settled or released in the database, by the ids of the parts. */
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

  /** Whether this node holds the part, as far as the database knows. */
  has(partId: number): boolean {
    return this.#parts.has(partId);
  }

  /** Whether no newer part has the same id. That happens if the database has lost the earlier part. */
  isCurrent({ id, request }: HeldPart): boolean {
    return this.#parts.get(id) === request;
  }

  /** Forgets parts that the database no longer assigns to this node. */
  forget(parts: Iterable<HeldPart>): void {
    for (const part of parts) if (this.isCurrent(part)) this.#parts.delete(part.id);
  }

  find(claimId: ClaimId): HeldClaim | undefined {
    return this.#held.get(claimId);
  }

  /** Settles targets. Returns a function that undoes this. */
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

  /** Forgets all claims, since they belong to other nodes now. */
  clear(): void {
    this.#held.clear();
    this.#parts.clear();
  }

  /** Drops a claim that was released. */
  drop({ claimId, parts }: HeldClaim): void {
    this.#held.delete(claimId);
    this.forget(parts);
  }
}
