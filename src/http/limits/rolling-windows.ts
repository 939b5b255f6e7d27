import type { StoreClient } from '../../store/calls.ts';

/** Request counts in memory, in steady milliseconds: wall clock jumps neither free nor block anyone. */

export const MINUTE_MS = 60_000;

export interface Admission {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until one more is admitted; 0 if nothing is counted. */
  readonly resetAfterMs: number;
}

/** Admits exactly `limit` requests in any window by keeping each time. */
export class RollingWindow {
  readonly #windowMs: number;
  #times: number[] = [];
  /** Index of the oldest counted time. */
  #oldest = 0;

  constructor(windowMs: number = MINUTE_MS) {
    this.#windowMs = windowMs;
  }

  admit(limit: number, nowMs: number): Admission {
    const used = this.used(nowMs);
    const admitted = used < limit;
    if (admitted) this.#times.push(nowMs);
    // One more fits once all but limit - 1 have left.
    const next = this.#times[this.#oldest + Math.max(0, used - limit)];
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - used - 1),
      resetAfterMs: next === undefined ? 0 : Math.max(0, next + this.#windowMs - nowMs),
    };
  }

  takeBack(atMs: number): void {
    const index = this.#times.lastIndexOf(atMs);
    if (index >= this.#oldest) this.#times.splice(index, 1);
  }

  used(nowMs: number): number {
    this.#forget(nowMs);
    return this.#times.length - this.#oldest;
  }

  /** Times are rounded down: only more than 60,000 ms are surely a minute. */
  #forget(nowMs: number): void {
    while (nowMs - (this.#times[this.#oldest] ?? nowMs) > this.#windowMs) this.#oldest += 1;
    if (this.#oldest > 32 && this.#oldest * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#oldest);
      this.#oldest = 0;
    }
  }
}

/** The part dropped at once if there are too many names: finding the least used takes a full scan. */
const LEAVING_PART = 1 / 4;

/**
 * Keeps a window per name until empty. `maxWindows` bounds names chosen by unauthenticated clients. Beyond it the least
 * used are dropped: floods of new names evict themselves, not clients at their limit.
 */
export class RollingWindows {
  readonly #windows = new Map<string, RollingWindow>();
  readonly #maxWindows: number;
  readonly #windowMs: number;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(maxWindows: number = Number.POSITIVE_INFINITY, windowMs: number = MINUTE_MS) {
    this.#maxWindows = maxWindows;
    this.#windowMs = windowMs;
  }

  get size(): number {
    return this.#windows.size;
  }

  admit(name: string, limit: number, nowMs: number): Admission {
    if (nowMs - this.#sweptAtMs > this.#windowMs) this.#sweep(nowMs);
    return this.#windowOf(name, nowMs).admit(limit, nowMs);
  }

  takeBack(name: string, atMs: number): void {
    const window = this.#windows.get(name);
    window?.takeBack(atMs);
    if (window?.used(atMs) === 0) this.#windows.delete(name);
  }

  #windowOf(name: string, nowMs: number): RollingWindow {
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size >= this.#maxWindows) this.#dropLeast(nowMs);
    const window = new RollingWindow(this.#windowMs);
    this.#windows.set(name, window);
    return window;
  }

  /** Among equals the oldest go first. */
  #dropLeast(nowMs: number): void {
    const used = [...this.#windows].map(([name, window]) => [name, window.used(nowMs)] as const);
    used.sort(([, a], [, b]) => a - b);
    for (const [name] of used.slice(0, Math.ceil(used.length * LEAVING_PART))) this.#windows.delete(name);
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs;
    for (const [name, window] of this.#windows) {
      if (window.used(nowMs) === 0) this.#windows.delete(name);
    }
  }
}

export type CountingStore = Pick<StoreClient, 'countUses' | 'takeBackUses'>;

/** Limits uses of a name over a store's processes. */
export class SharedLimit {
  /** Names are unique within a kind only. */
  readonly kind: string;
  readonly windowMs: number;
  readonly here: RollingWindows;

  /** `maxNames`: as in `RollingWindows`. */
  constructor(kind: string, { windowMs = MINUTE_MS, maxNames = Number.POSITIVE_INFINITY } = {}) {
    this.kind = kind;
    this.windowMs = windowMs;
    this.here = new RollingWindows(maxNames, windowMs);
  }
}

export interface Use {
  readonly of: SharedLimit;
  readonly name: string;
  readonly most: number;
}

/** The admission of the first refusing limit, else of the last. */
interface UsesAdmission extends Admission {
  takeBack(): Promise<void>;
}

/** Counts all uses or none: here first, so floods end here, then in the store. Refused uses count nowhere. */
export async function countUses(store: CountingStore, uses: readonly Use[], nowMs: number): Promise<UsesAdmission> {
  const counted: Use[] = [];
  const takeBackHere = () => {
    for (const { of, name } of counted) of.here.takeBack(name, nowMs);
  };
  const refused = (admission: Admission): UsesAdmission => {
    takeBackHere();
    return { ...admission, takeBack: async () => {} };
  };

  let admission: Admission = { admitted: true, limit: 0, remaining: 0, resetAfterMs: 0 };
  for (const use of uses) {
    admission = use.of.here.admit(use.name, use.most, nowMs);
    if (!admission.admitted) return refused(admission);
    counted.push(use);
  }
  const shared = uses.map(({ of, name, most }) => ({ name: `${of.kind} ${name}`, most, windowMs: of.windowMs }));
  const { resetAfterMs, at } = await store.countUses({ uses: shared }).catch((error) => {
    takeBackHere();
    throw error;
  });
  if (resetAfterMs !== null) return refused({ ...admission, admitted: false, remaining: 0, resetAfterMs });
  return {
    ...admission,
    async takeBack() {
      takeBackHere();
      if (at.length === 0) return;
      // Their requests are done; failing leaves them counted for the window.
      await store.takeBackUses({ names: shared.map(({ name }) => name), at }).catch(() => null);
    },
  };
}
