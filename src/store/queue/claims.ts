import type { Lane, Route } from '../../push.ts';

export interface FanOutKey {
  readonly route: Route;
  readonly lane: Lane;
  readonly workspaceId: number;
  readonly eventId: number;
}

/** A stretch of subscription numbers: more than `from`, up to `to`. */
export interface Page {
  readonly from: number;
  readonly to: number;
}

export interface ClaimedBatch extends FanOutKey {
  readonly batchId: number;
  readonly channelId: number | null;
  /** The stretch of a fan-out, or null for a batch of retries. */
  readonly page: Page | null;
  readonly deviceIds: readonly number[];
  /** One byte for each device, in their order, in memory that all threads share; see push.ts. */
  readonly recalls: Uint8Array;
}

interface Progress {
  claimedTo: number;
  /** Nothing lies beyond `claimedTo`. */
  exhausted: boolean;
  readonly out: Map<number, Page>;
  returned: Page[];
}

/**
 * Which parts of the queue are handed out and not settled yet. Kept in memory on purpose: a crash forgets it, the cursor in
 * the database still stands before those pages, and they are sent again. So what a crash may send twice is what stands here.
 */
export class Claims {
  #lastBatchId = 0;
  readonly #batches = new Map<number, ClaimedBatch>();
  readonly #progress = new Map<string, Progress>();
  readonly #retries = new Set<string>();

  /** Where the next page of a fan-out starts: a page that was given back, or behind all that was handed out. */
  nextPage(key: FanOutKey, cursor: number, last: number): Page | null {
    const progress = this.#progress.get(nameOf(key));
    if (!progress) return { from: cursor, to: last };
    const returned = progress.returned[0];
    if (returned) return returned;
    return progress.exhausted ? null : { from: progress.claimedTo, to: last };
  }

  claimPage(
    key: FanOutKey,
    channelId: number,
    page: Page,
    exhausted: boolean,
    deviceIds: readonly number[],
  ): ClaimedBatch {
    const name = nameOf(key);
    const progress = this.#progress.get(name) ?? {
      claimedTo: page.from,
      exhausted: false,
      out: new Map(),
      returned: [],
    };
    this.#progress.set(name, progress);
    this.#takeFromReturned(progress, page);
    if (page.to > progress.claimedTo) progress.claimedTo = page.to;
    progress.exhausted ||= exhausted;
    const batch = this.#remember({ ...key, channelId, page, deviceIds });
    progress.out.set(batch.batchId, page);
    return batch;
  }

  /** Nobody is left to send to in this page. */
  skipPage(key: FanOutKey, page: Page, exhausted: boolean): void {
    const progress = this.#progress.get(nameOf(key));
    if (!progress) return;
    this.#takeFromReturned(progress, page);
    if (page.to > progress.claimedTo) progress.claimedTo = page.to;
    progress.exhausted ||= exhausted;
    if (progress.out.size === 0 && progress.returned.length === 0) this.#progress.delete(nameOf(key));
  }

  claimRetries(key: FanOutKey, channelId: number | null, deviceIds: readonly number[]): ClaimedBatch {
    return this.#remember({ ...key, channelId, page: null, deviceIds });
  }

  /** All that is handed out. */
  get batches(): ReadonlyMap<number, ClaimedBatch> {
    return this.#batches;
  }

  /** Batches are numbered as they are handed out. */
  get lastBatchId(): number {
    return this.#lastBatchId;
  }

  /**
   * The batch was settled. `settledTo`: how far its fan-out is now settled without a gap (null for retries), `ended`: nothing
   * of it is left. `undo` takes it all back, for a transaction that is rolled back.
   */
  settled(batch: ClaimedBatch): {
    readonly settledTo: number | null;
    readonly ended: boolean;
    readonly undo: () => void;
  } {
    this.#forget(batch);
    const name = nameOf(batch);
    const progress = this.#progress.get(name);
    if (!batch.page || !progress) return { settledTo: null, ended: false, undo: () => this.#keep(batch) };
    const { page } = batch;
    progress.out.delete(batch.batchId);
    const undo = (): void => {
      this.#keep(batch);
      progress.out.set(batch.batchId, page);
      this.#progress.set(name, progress);
    };
    const open = [...progress.out.values(), ...progress.returned].map(({ from }) => from);
    if (open.length > 0) return { settledTo: Math.min(...open), ended: false, undo };
    this.#progress.delete(name);
    return { settledTo: progress.claimedTo, ended: progress.exhausted, undo };
  }

  /** Nothing of the batch was sent: its page is the next one to be handed out. */
  released(batch: ClaimedBatch): void {
    this.#forget(batch);
    const progress = this.#progress.get(nameOf(batch));
    if (!batch.page || !progress) return;
    progress.out.delete(batch.batchId);
    progress.returned.push(batch.page);
  }

  /** No page of this fan-out is out or waits to be handed out again. */
  isIdle(key: FanOutKey): boolean {
    return !this.#progress.has(nameOf(key));
  }

  isClaimedRetry(eventId: number, deviceId: number): boolean {
    return this.#retries.has(retryName(eventId, deviceId));
  }

  get claimedRetries(): number {
    return this.#retries.size;
  }

  #remember(batch: Omit<ClaimedBatch, 'batchId' | 'recalls'>): ClaimedBatch {
    this.#lastBatchId += 1;
    const recalls = new Uint8Array(new SharedArrayBuffer(batch.deviceIds.length));
    const claimed = { ...batch, batchId: this.#lastBatchId, recalls };
    this.#keep(claimed);
    return claimed;
  }

  #keep(batch: ClaimedBatch): void {
    this.#batches.set(batch.batchId, batch);
    if (batch.page) return;
    for (const deviceId of batch.deviceIds) this.#retries.add(retryName(batch.eventId, deviceId));
  }

  #forget(batch: ClaimedBatch): void {
    this.#batches.delete(batch.batchId);
    if (batch.page) return;
    for (const deviceId of batch.deviceIds) this.#retries.delete(retryName(batch.eventId, deviceId));
  }

  /** A page that was given back may be claimed in parts: what remains of it waits on. */
  #takeFromReturned(progress: Progress, page: Page): void {
    const returned = progress.returned[0];
    if (!returned || returned.from !== page.from) return;
    progress.returned.shift();
    if (page.to < returned.to) progress.returned.unshift({ from: page.to, to: returned.to });
  }
}

function nameOf(key: FanOutKey): string {
  return `${key.route} ${key.eventId}`;
}

function retryName(eventId: number, deviceId: number): string {
  return `${eventId} ${deviceId}`;
}
