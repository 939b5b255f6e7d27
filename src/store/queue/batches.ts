import type { Lane, Route } from '../../push.ts';
import type { Claim, ClaimId } from '../calls.ts';
import { type ClaimedTargets, packed } from './packing.ts';

/** An event's claimed targets: a page of its fan-out, or due retries. */
export interface Part {
  readonly workspaceId: number;
  readonly eventId: number;
  readonly channelId: number | null;
  /** Wall clock, when its targets were read. */
  readonly claimedAtMs: number;
  /** Unsettled targets. */
  open: number;
  /** Some verdicts could not be recorded: their targets are read again. */
  isIncomplete: boolean;
}

/** A claim. Targets are numbered through all `parts`. */
export interface ClaimedBatch<P extends Part> {
  readonly claimId: ClaimId;
  readonly route: Route;
  readonly lane: Lane;
  readonly parts: readonly P[];
  readonly deviceIds: readonly number[];
  /** Per target, in order: its part, or null once settled. */
  readonly openPart: (P | null)[];
}

/** This process's unsettled claims. Their targets are in memory only: after a crash, they are read again. */
export class ClaimedBatches<P extends Part> {
  #lastOrder = 0;
  readonly #batches = new Map<ClaimId, ClaimedBatch<P>>();

  /** Makes a claim of claimed parts. */
  handOut(route: Route, lane: Lane, taken: readonly ClaimedTargets<P>[]): Claim {
    const order = ++this.#lastOrder;
    const claimId = String(order);
    this.#batches.set(claimId, {
      claimId,
      route,
      lane,
      parts: taken.map(({ part }) => part),
      deviceIds: taken.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId)),
      openPart: taken.flatMap(({ part, targets }) => targets.map(() => part)),
    });
    return { claimId, order, route, lane, ...packed(taken) };
  }

  find(claimId: ClaimId): ClaimedBatch<P> | undefined {
    return this.#batches.get(claimId);
  }

  get isEmpty(): boolean {
    return this.#batches.size === 0;
  }

  /** The last claim's `order`. */
  get lastOrder(): number {
    return this.#lastOrder;
  }

  /** Settles targets. Returns how to undo this. */
  settle(batch: ClaimedBatch<P>, indexes: readonly number[]): () => void {
    const parts = indexes.map((index) => batch.openPart[index] ?? null);
    const put = (isOpen: boolean): void => {
      for (const [place, index] of indexes.entries()) {
        const part = parts[place] ?? null;
        batch.openPart[index] = isOpen ? part : null;
        if (part) this.count(part, batch.deviceIds[index] as number, isOpen);
      }
    };
    put(false);
    if (batch.parts.every(({ open }) => open === 0)) this.#batches.delete(batch.claimId);
    return () => {
      this.#batches.set(batch.claimId, batch);
      put(true);
    };
  }

  /** Forgets a claim, whose targets are no longer this process's. */
  drop(claimId: ClaimId): void {
    this.#batches.delete(claimId);
  }

  clear(): void {
    this.#batches.clear();
  }

  /** A target was settled, or is open again. */
  protected count(part: P, _deviceId: number, isOpen: boolean): void {
    part.open += isOpen ? 1 : -1;
  }
}
