import type { Lane, Route } from '../../push.ts';
import type { Part } from './batches.ts';

/** An event on a route. */
export interface EventKey {
  readonly route: Route;
  readonly lane: Lane;
  readonly workspaceId: number;
  readonly eventId: number;
}

export interface FanOutKey extends EventKey {
  /** Its number among this process's fan-outs on the route. */
  readonly fanOutId: number;
}

/** Subscription numbers above `from`, up to `to`. */
export interface Page {
  readonly from: number;
  readonly to: number;
}

export interface ClaimedPart extends EventKey, Part {
  /** null: retries. */
  readonly fanOutId: number | null;
  /** The page of its fan-out; null: retries. */
  readonly page: Page | null;
  readonly deviceIds: readonly number[];
}

interface Progress {
  claimedTo: number;
  /** Nothing is beyond `claimedTo`. */
  isExhausted: boolean;
  readonly out: Set<ClaimedPart>;
  returned: Page[];
}

/** How far each fan-out is handed out, page by page. Kept in memory only, like all claims. */
export class FanOutPages {
  readonly #progress = new Map<string, Progress>();

  /** Returns a fan-out's next page: a released one, or the one after all claimed. */
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
    claimedAtMs: number,
  ): ClaimedPart {
    const part: ClaimedPart = { ...partOf(key, channelId, deviceIds, claimedAtMs), fanOutId: key.fanOutId, page };
    this.#pass(key, page, isExhausted).out.add(part);
    return part;
  }

  /** Skips a page without targets. */
  skip(key: FanOutKey, page: Page, isExhausted: boolean): void {
    const { out, returned, ...progress } = this.#pass(key, page, isExhausted);
    if (progress.isExhausted && returned.length === 0 && out.size === 0) this.forget(key);
  }

  /** The skipped page may have targets after all. Fan-outs without progress are reread from their cursor. */
  unskip(key: FanOutKey, page: Page): void {
    this.#progress.get(nameOf(key))?.returned.push(page);
  }

  /** Settles the page's targets. `settledTo`: settled without a gap; `ended`: nothing is left; `undo` undoes it. */
  settled(part: ClaimedPart): {
    readonly settledTo: number;
    readonly ended: boolean;
    readonly undo: () => void;
  } {
    const name = nameOf(part);
    const progress = this.#progress.get(name);
    if (!progress) return { settledTo: 0, ended: false, undo: () => {} };
    progress.out.delete(part);
    // A claim may have begun a new progress meanwhile.
    const undo = (): void => {
      const current = this.#progress.get(name) ?? progress;
      current.out.add(part);
      this.#progress.set(name, current);
    };
    const open = [...[...progress.out].flatMap(({ page }) => page ?? []), ...progress.returned];
    if (open.length > 0) return { settledTo: Math.min(...open.map(({ from }) => from)), ended: false, undo };
    this.#progress.delete(name);
    return { settledTo: progress.claimedTo, ended: progress.isExhausted, undo };
  }

  /** Makes a page whose verdicts could not be recorded its fan-out's next. Returns how to undo that. */
  abandon(part: ClaimedPart): () => void {
    const { page } = part;
    const progress = this.#progress.get(nameOf(part));
    if (!page || !progress?.out.delete(part)) return () => {};
    progress.returned.push(page);
    return () => {
      progress.returned = progress.returned.filter((returned) => returned !== page);
      progress.out.add(part);
    };
  }

  /** No page of this fan-out is out or released. */
  isIdle(key: FanOutKey): boolean {
    return !this.#progress.has(nameOf(key));
  }

  isOut(key: FanOutKey): boolean {
    return (this.#progress.get(nameOf(key))?.out.size ?? 0) > 0;
  }

  /** Targets of pages that are out. */
  targetsOut(key: FanOutKey): number {
    const out = this.#progress.get(nameOf(key))?.out ?? [];
    return [...out].reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);
  }

  clear(): void {
    this.#progress.clear();
  }

  /** The fan-out has ended: released pages are not handed out again. */
  forget(key: FanOutKey): void {
    this.#progress.delete(nameOf(key));
  }

  /** All that is left is out. */
  isAllOut(key: FanOutKey): boolean {
    const progress = this.#progress.get(nameOf(key));
    return progress?.isExhausted === true && progress.returned.length === 0;
  }

  /** Makes the page its fan-out's next. Parts of retries have none. */
  giveBack(part: ClaimedPart): void {
    const progress = this.#progress.get(nameOf(part));
    if (part.page && progress?.out.delete(part)) progress.returned.push(part.page);
  }

  /** Goes on behind a page. A released page may be passed in parts: its rest waits. */
  #pass(key: FanOutKey, page: Page, isExhausted: boolean): Progress {
    const name = nameOf(key);
    const progress = this.#progress.get(name) ?? {
      claimedTo: page.from,
      isExhausted: false,
      out: new Set(),
      returned: [],
    };
    this.#progress.set(name, progress);
    const [first] = progress.returned;
    if (first?.from === page.from) {
      progress.returned.shift();
      if (page.to < first.to) progress.returned.unshift({ from: page.to, to: first.to });
    }
    if (page.to > progress.claimedTo) progress.claimedTo = page.to;
    progress.isExhausted ||= isExhausted;
    return progress;
  }
}

/** Returns a part of retries. */
export function partOf(
  { route, lane, workspaceId, eventId }: EventKey,
  channelId: number | null,
  deviceIds: readonly number[],
  claimedAtMs: number,
): ClaimedPart {
  const open = deviceIds.length;
  return {
    route,
    lane,
    workspaceId,
    eventId,
    fanOutId: null,
    channelId,
    page: null,
    deviceIds,
    claimedAtMs,
    open,
    isIncomplete: false,
  };
}

function nameOf({ route, fanOutId }: Pick<ClaimedPart, 'route' | 'fanOutId'>): string {
  return `${route} ${fanOutId}`;
}
