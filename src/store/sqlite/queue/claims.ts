import type { Lane, Route } from '../../../push.ts';
import type { ClaimId } from '../../calls.ts';

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

/** Devices of one event that were handed out together. */
export interface ClaimedPart extends FanOutKey {
  readonly channelId: number | null;
  /** The stretch of a fan-out, or null for retries. */
  readonly page: Page | null;
  readonly deviceIds: readonly number[];
  /** How many of them are not settled yet. */
  open: number;
}

/** `parts` lie one behind the other: the first target of the second one follows the last of the first one. */
export interface ClaimedBatch {
  readonly claimId: ClaimId;
  readonly order: number;
  readonly route: Route;
  readonly lane: Lane;
  readonly parts: readonly ClaimedPart[];
  /** One entry for each target, in their order: its part, or null once it is settled. */
  readonly openPart: (ClaimedPart | null)[];
  readonly deviceIds: readonly number[];
}

interface Progress {
  claimedTo: number;
  /** Nothing lies beyond `claimedTo`. */
  exhausted: boolean;
  readonly out: Set<ClaimedPart>;
  returned: Page[];
}

/**
 * Which parts of the queue are handed out and not settled yet. Kept in memory on purpose: a crash forgets it, the
 * cursor in the database still stands before those pages, and they are sent again. So what a crash may send twice is
 * what stands here.
 */
export class Claims {
  #lastOrder = 0;
  readonly #batches = new Map<ClaimId, ClaimedBatch>();
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
  ): ClaimedPart {
    const name = nameOf(key);
    const progress = this.#progress.get(name) ?? {
      claimedTo: page.from,
      exhausted: false,
      out: new Set(),
      returned: [],
    };
    this.#progress.set(name, progress);
    this.#takeFromReturned(progress, page);
    if (page.to > progress.claimedTo) progress.claimedTo = page.to;
    progress.exhausted ||= exhausted;
    const part = partOf(key, channelId, page, deviceIds);
    progress.out.add(part);
    return part;
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

  claimRetries(key: FanOutKey, channelId: number | null, deviceIds: readonly number[]): ClaimedPart {
    for (const deviceId of deviceIds) this.#retries.add(retryName(key.eventId, deviceId));
    return partOf(key, channelId, null, deviceIds);
  }

  /** Hands out parts that were claimed, together. */
  handOut(route: Route, lane: Lane, parts: readonly ClaimedPart[]): ClaimedBatch {
    const order = ++this.#lastOrder;
    const deviceIds = parts.flatMap((part) => part.deviceIds);
    const batch: ClaimedBatch = {
      claimId: String(order),
      order,
      route,
      lane,
      parts,
      openPart: parts.flatMap((part) => part.deviceIds.map(() => part)),
      deviceIds,
    };
    this.#batches.set(batch.claimId, batch);
    return batch;
  }

  /** All that is handed out. */
  get batches(): ReadonlyMap<ClaimId, ClaimedBatch> {
    return this.#batches;
  }

  /** Of the batch that was handed out last. */
  get lastOrder(): number {
    return this.#lastOrder;
  }

  /** These targets of the batch are settled. Answers how to take that back, for a transaction that is rolled back. */
  settle(batch: ClaimedBatch, indexes: readonly number[]): () => void {
    const parts = indexes.map((index) => batch.openPart[index] ?? null);
    for (const [place, index] of indexes.entries()) this.#settleOne(batch, index, parts[place] ?? null);
    if (batch.parts.every(({ open }) => open === 0)) this.#batches.delete(batch.claimId);
    return () => {
      this.#batches.set(batch.claimId, batch);
      for (const [place, index] of indexes.entries()) this.#openOne(batch, index, parts[place] ?? null);
    };
  }

  /**
   * All targets of the page are settled. `settledTo`: how far its fan-out is now settled without a gap, `ended`:
   * nothing of it is left. `undo` takes it back.
   */
  settledPage(part: ClaimedPart): {
    readonly settledTo: number;
    readonly ended: boolean;
    readonly undo: () => void;
  } {
    const name = nameOf(part);
    const progress = this.#progress.get(name);
    if (!progress) return { settledTo: 0, ended: false, undo: () => {} };
    progress.out.delete(part);
    const undo = (): void => {
      progress.out.add(part);
      this.#progress.set(name, progress);
    };
    const open = [...[...progress.out].flatMap(({ page }) => page ?? []), ...progress.returned];
    if (open.length > 0) return { settledTo: Math.min(...open.map(({ from }) => from)), ended: false, undo };
    this.#progress.delete(name);
    return { settledTo: progress.claimedTo, ended: progress.exhausted, undo };
  }

  /** Of the page no verdict comes any more, and none could be recorded. Answers how to take that back. */
  abandonPage(part: ClaimedPart): () => void {
    const progress = this.#progress.get(nameOf(part));
    return progress?.out.delete(part) ? () => void progress.out.add(part) : () => {};
  }

  /** What is not settled of the batch was not sent: its pages are the next ones of their fan-outs to be handed out. */
  release(batch: ClaimedBatch): void {
    this.#batches.delete(batch.claimId);
    for (const [index, part] of batch.openPart.entries()) this.#settleOne(batch, index, part);
    for (const part of batch.parts) this.#returnPage(part);
  }

  /** The batch was never handed out. */
  withdraw(batch: ClaimedBatch): void {
    this.#batches.delete(batch.claimId);
  }

  /** The part was claimed for nothing. */
  giveBack(part: ClaimedPart): void {
    if (part.page) this.#returnPage(part);
    else for (const deviceId of part.deviceIds) this.#retries.delete(retryName(part.eventId, deviceId));
  }

  /** No page of this fan-out is out or waits to be handed out again. */
  isIdle(key: FanOutKey): boolean {
    return !this.#progress.has(nameOf(key));
  }

  isOut(key: FanOutKey): boolean {
    return (this.#progress.get(nameOf(key))?.out.size ?? 0) > 0;
  }

  /** The fan-out has ended: what was given back of it is not handed out again. */
  forget(key: FanOutKey): void {
    this.#progress.delete(nameOf(key));
  }

  /** All that is left of this fan-out is out. */
  isAllOut(key: FanOutKey): boolean {
    const progress = this.#progress.get(nameOf(key));
    return progress?.exhausted === true && progress.returned.length === 0;
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

  #returnPage(part: ClaimedPart): void {
    const progress = this.#progress.get(nameOf(part));
    if (part.page && progress?.out.delete(part)) progress.returned.push(part.page);
  }

  /** A page that was given back may be claimed in parts: what remains of it waits on. */
  #takeFromReturned(progress: Progress, page: Page): void {
    const returned = progress.returned[0];
    if (!returned || returned.from !== page.from) return;
    progress.returned.shift();
    if (page.to < returned.to) progress.returned.unshift({ from: page.to, to: returned.to });
  }
}

function partOf(
  { route, lane, workspaceId, eventId }: FanOutKey,
  channelId: number | null,
  page: Page | null,
  deviceIds: readonly number[],
): ClaimedPart {
  return { route, lane, workspaceId, eventId, channelId, page, deviceIds, open: deviceIds.length };
}

function nameOf(key: FanOutKey): string {
  return `${key.route} ${key.eventId}`;
}

function retryName(eventId: number, deviceId: number | undefined): string {
  return `${eventId} ${deviceId}`;
}
