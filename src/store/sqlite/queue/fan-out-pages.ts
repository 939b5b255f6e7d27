import type { Lane, Route } from '../../../push.ts';

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

interface Progress {
  claimedTo: number;
  /** Nothing lies beyond `claimedTo`. */
  isExhausted: boolean;
  readonly out: Set<ClaimedPart>;
  returned: Page[];
}

/** How far each fan-out is handed out, page by page. In memory only, as all claims are. */
export class FanOutPages {
  readonly #progress = new Map<string, Progress>();

  /** Returns the next page of a fan-out: a released page, or the page after all claimed ones. */
  next(key: FanOutKey, cursor: number, last: number): Page | null {
    const progress = this.#progress.get(nameOf(key));
    if (!progress) return { from: cursor, to: last };
    const returned = progress.returned[0];
    if (returned) return returned;
    return progress.isExhausted ? null : { from: progress.claimedTo, to: last };
  }

  claim(
    key: FanOutKey,
    channelId: number,
    page: Page,
    isExhausted: boolean,
    deviceIds: readonly number[],
  ): ClaimedPart {
    const progress = this.#progressOf(key, page);
    this.#takeFromReturned(progress, page);
    if (page.to > progress.claimedTo) progress.claimedTo = page.to;
    progress.isExhausted ||= isExhausted;
    const part = partOf(key, channelId, page, deviceIds);
    progress.out.add(part);
    return part;
  }

  /** No target is left in this page. Returns whether another page of the fan-out can be claimed. */
  skip(key: FanOutKey, page: Page, isExhausted: boolean): boolean {
    const progress = this.#progressOf(key, page);
    this.#takeFromReturned(progress, page);
    if (page.to > progress.claimedTo) progress.claimedTo = page.to;
    progress.isExhausted ||= isExhausted;
    const hasMore = progress.returned.length > 0 || !progress.isExhausted;
    if (!hasMore && progress.out.size === 0) this.#progress.delete(nameOf(key));
    return hasMore;
  }

  /** The skipped page may have targets after all. A fan-out without progress is read again from its cursor. */
  unskip(key: FanOutKey, page: Page): void {
    this.#progress.get(nameOf(key))?.returned.push(page);
  }

  /**
   * All targets of the page are settled. `settledTo`: how far its fan-out is now settled without a gap, `ended`:
   * nothing of it is left. `undo` takes it back.
   */
  settled(part: ClaimedPart): {
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
    return { settledTo: progress.claimedTo, ended: progress.isExhausted, undo };
  }

  /** No verdict will come for this page, since none could be recorded. Returns how to undo that. */
  abandon(part: ClaimedPart): () => void {
    const progress = this.#progress.get(nameOf(part));
    return progress?.out.delete(part) ? () => void progress.out.add(part) : () => {};
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
    return progress?.isExhausted === true && progress.returned.length === 0;
  }

  /** The page is the next of its fan-out to be handed out. A part of retries has none. */
  giveBack(part: ClaimedPart): void {
    const progress = this.#progress.get(nameOf(part));
    if (part.page && progress?.out.delete(part)) progress.returned.push(part.page);
  }

  #progressOf(key: FanOutKey, page: Page): Progress {
    const name = nameOf(key);
    const known = this.#progress.get(name);
    if (known) return known;
    const progress: Progress = { claimedTo: page.from, isExhausted: false, out: new Set(), returned: [] };
    this.#progress.set(name, progress);
    return progress;
  }

  /** A page that was given back may be claimed in parts: what remains of it waits on. */
  #takeFromReturned(progress: Progress, page: Page): void {
    const returned = progress.returned[0];
    if (!returned || returned.from !== page.from) return;
    progress.returned.shift();
    if (page.to < returned.to) progress.returned.unshift({ from: page.to, to: returned.to });
  }
}

export function partOf(
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
