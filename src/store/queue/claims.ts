import { type ClaimedBatch, ClaimedBatches } from './batches.ts';
import { type ClaimedPart, type EventKey, FanOutPages, partOf } from './fan-out-pages.ts';

/**
 * Unsettled claims, in memory on purpose: after a crash, the database's cursors stand before these pages, which are
 * sent again. A crash can send only these twice.
 */
export class Claims extends ClaimedBatches<ClaimedPart> {
  /** Pages of fan-outs, not of retries. */
  readonly pages = new FanOutPages();
  readonly #retries = new Set<string>();

  claimRetries(
    key: EventKey,
    channelId: number | null,
    deviceIds: readonly number[],
    claimedAtMs: number,
  ): ClaimedPart {
    this.holdRetries(key.eventId, deviceIds);
    return partOf(key, channelId, deviceIds, claimedAtMs);
  }

  /** Releases the batch's unsettled rest unsent: its pages are next. */
  release(batch: ClaimedBatch<ClaimedPart>): void {
    this.settle(batch, [...batch.openPart.keys()]);
    for (const part of batch.parts) this.pages.giveBack(part);
  }

  /** The part was not needed. */
  giveBack(part: ClaimedPart): void {
    if (part.page) this.pages.giveBack(part);
    else this.freeRetries(part.eventId, part.deviceIds);
  }

  /** Keeps retries from other claims. */
  holdRetries(eventId: number, deviceIds: readonly number[]): void {
    for (const deviceId of deviceIds) this.#retries.add(retryName(eventId, deviceId));
  }

  freeRetries(eventId: number, deviceIds: readonly number[]): void {
    for (const deviceId of deviceIds) this.#retries.delete(retryName(eventId, deviceId));
  }

  isClaimedRetry(eventId: number, deviceId: number): boolean {
    return this.#retries.has(retryName(eventId, deviceId));
  }

  override clear(): void {
    super.clear();
    this.pages.clear();
    this.#retries.clear();
  }

  get claimedRetries(): number {
    return this.#retries.size;
  }

  protected override count(part: ClaimedPart, deviceId: number, isOpen: boolean): void {
    super.count(part, deviceId, isOpen);
    if (part.page) return;
    if (isOpen) this.holdRetries(part.eventId, [deviceId]);
    else this.freeRetries(part.eventId, [deviceId]);
  }
}

function retryName(eventId: number, deviceId: number): string {
  return `${eventId} ${deviceId}`;
}
