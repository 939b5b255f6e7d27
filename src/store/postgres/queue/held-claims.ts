import type { Lane, Route } from '../../../push.ts';
import type { Claim, ClaimId } from '../../calls.ts';
import { ClaimedBatches, type Part } from '../../queue/batches.ts';
import type { ClaimedTargets } from '../../queue/packing.ts';

/** Part of a claim: a fan-out's page, or an event's due retries. */
export interface HeldPart extends Part {
  /** The id of its row in `claim`. */
  readonly id: number;
  /** This node's request that claimed it. */
  readonly request: number;
  /** The node that holds the links; 0: any node may send it. */
  readonly home: number;
  readonly isPage: boolean;
  /** Set after an unanswered settlement: some targets may be settled. */
  isUncertain?: true;
}

/** This node's claims. The database stores only each claim's range; after a crash, other nodes read the targets again. */
export class HeldClaims extends ClaimedBatches<HeldPart> {
  /** Requests of unsettled and unreleased parts, by part id. */
  readonly #parts = new Map<number, number>();

  override handOut(route: Route, lane: Lane, taken: readonly ClaimedTargets<HeldPart>[]): Claim {
    for (const { part } of taken) this.#parts.set(part.id, part.request);
    return super.handOut(route, lane, taken);
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

  /** Forgets all claims: other nodes own them. */
  override clear(): void {
    super.clear();
    this.#parts.clear();
  }

  override drop(claimId: ClaimId): void {
    this.forget(this.find(claimId)?.parts ?? []);
    super.drop(claimId);
  }
}
