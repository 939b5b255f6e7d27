import type { Lane, Route } from '../../../push.ts';
import type { ClaimId } from '../../calls.ts';
import { type ClaimedPart, type FanOutKey, FanOutPages, partOf } from './fan-out-pages.ts';

/** Targets are numbered through all `parts`. */
export interface ClaimedBatch {
  readonly claimId: ClaimId;
  readonly order: number;
  /** Wall clock. */
  readonly claimedAtMs: number;
  readonly route: Route;
  readonly lane: Lane;
  readonly parts: readonly ClaimedPart[];
  /** Per target, in order: its part, or null once settled. */
  readonly openPart: (ClaimedPart | null)[];
  readonly deviceIds: readonly number[];
}

/**
 * Unsettled claims, in memory on purpose: after a crash, the database's cursors stand before these pages, which are
 * sent again. A crash can send only these twice.
 */
export class Claims {
  /** Pages of fan-outs, not of retries. */
  readonly pages = new FanOutPages();
  #lastOrder = 0;
  readonly #batches = new Map<ClaimId, ClaimedBatch>();
  readonly #retries = new Set<string>();

  claimRetries(key: FanOutKey, channelId: number | null, deviceIds: readonly number[]): ClaimedPart {
    for (const deviceId of deviceIds) this.#retries.add(retryName(key.eventId, deviceId));
    return partOf(key, channelId, null, deviceIds);
  }

  /** Hands out claimed parts together. */
  handOut(route: Route, lane: Lane, parts: readonly ClaimedPart[], claimedAtMs: number): ClaimedBatch {
    const order = ++this.#lastOrder;
    const deviceIds = parts.flatMap((part) => part.deviceIds);
    const batch: ClaimedBatch = {
      claimId: String(order),
      order,
      claimedAtMs,
      route,
      lane,
      parts,
      openPart: parts.flatMap((part) => part.deviceIds.map(() => part)),
      deviceIds,
    };
    this.#batches.set(batch.claimId, batch);
    return batch;
  }

  /** Everything handed out. */
  get batches(): ReadonlyMap<ClaimId, ClaimedBatch> {
    return this.#batches;
  }

  /** The last batch's `order`. */
  get lastOrder(): number {
    return this.#lastOrder;
  }

  /** Settles these targets of the batch. Returns how to undo that after a rollback. */
  settle(batch: ClaimedBatch, indexes: readonly number[]): () => void {
    const parts = indexes.map((index) => batch.openPart[index] ?? null);
    for (const [place, index] of indexes.entries()) this.#settleOne(batch, index, parts[place] ?? null);
    if (batch.parts.every(({ open }) => open === 0)) this.#batches.delete(batch.claimId);
    return () => {
      this.#batches.set(batch.claimId, batch);
      for (const [place, index] of indexes.entries()) this.#openOne(batch, index, parts[place] ?? null);
    };
  }

  /** Releases the batch's unsettled rest unsent: its pages are next. */
  release(batch: ClaimedBatch): void {
    this.#batches.delete(batch.claimId);
    for (const [index, part] of batch.openPart.entries()) this.#settleOne(batch, index, part);
    for (const part of batch.parts) this.pages.giveBack(part);
  }

  /** The batch was never handed out. */
  withdraw(batch: ClaimedBatch): void {
    this.#batches.delete(batch.claimId);
  }

  /** The part was not needed. */
  giveBack(part: ClaimedPart): void {
    if (part.page) this.pages.giveBack(part);
    else for (const deviceId of part.deviceIds) this.#retries.delete(retryName(part.eventId, deviceId));
  }

  isClaimedRetry(eventId: number, deviceId: number): boolean {
    return this.#retries.has(retryName(eventId, deviceId));
  }

  get claimedRetries(): number {
    return this.#retries.size;
  }

  #settleOne(batch: ClaimedBatch, index: number, part: ClaimedPart | null): void {
    batch.openPart[index] = null;
    if (!part) return;
    part.open -= 1;
    if (!part.page) this.#retries.delete(retryName(part.eventId, batch.deviceIds[index]));
  }

  #openOne(batch: ClaimedBatch, index: number, part: ClaimedPart | null): void {
    batch.openPart[index] = part;
    if (!part) return;
    part.open += 1;
    if (!part.page) this.#retries.add(retryName(part.eventId, batch.deviceIds[index]));
  }
}

function retryName(eventId: number, deviceId: number | undefined): string {
  return `${eventId} ${deviceId}`;
}
