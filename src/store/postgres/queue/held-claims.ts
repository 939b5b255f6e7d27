import type { Lane, Route } from '../../../push.ts';
import type { ClaimId } from '../../calls.ts';

/** A part of a claim: a page of a fan-out, or the due retries of an event. */
export interface HeldPart {
  /** Of its row in `claim`. */
  readonly id: number;
  /** The number of this node's request by which it was claimed. */
  readonly request: number;
  readonly workspaceId: number;
  readonly eventId: number;
  channelId: number | null;
  /** The node that holds its links; 0: any may send it. */
  readonly home: number;
  readonly isPage: boolean;
  /** When its targets were read, by the database's wall clock. */
  readAtMs: number;
  /** How many of its targets are not settled yet. */
  open: number;
  /** Some may be settled all the same: a settlement was given no answer. */
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
 * Whom the claims of this node are for. Their rows in the database say which stretches those are; who that was when it
 * was handed out only the node knows. After a crash the others read them anew.
 */
export class HeldClaims {
  readonly #held = new Map<ClaimId, HeldClaim>();
  /** By the ids of parts that are not settled or given back in the database: by which requests they were claimed. */
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

  /** Whether this node has it out, as far as the database knows. */
  has(partId: number): boolean {
    return this.#parts.has(partId);
  }

  /** Whether its id was given to no other part since: the database has lost the one that had it before. */
  isCurrent({ id, request }: HeldPart): boolean {
    return this.#parts.get(id) === request;
  }

  /** The database knows that the node has them out no more. */
  forget(parts: Iterable<HeldPart>): void {
    for (const part of parts) if (this.isCurrent(part)) this.#parts.delete(part.id);
  }

  find(claimId: ClaimId): HeldClaim | undefined {
    return this.#held.get(claimId);
  }

  /** These targets are settled. Returns how to take that back. */
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

  /** All of them are others' now. */
  clear(): void {
    this.#held.clear();
    this.#parts.clear();
  }

  /** It was given back. */
  drop({ claimId, parts }: HeldClaim): void {
    this.#held.delete(claimId);
    this.forget(parts);
  }
}
