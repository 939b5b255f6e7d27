import { type Clock, within } from '../process/clock.ts';
import type { Finding } from '../process/finding.ts';

/** A caller waits this long for a new look, while the last one still holds. */
const ANSWERS_WITHIN_MS = 150;
/**
 * Otherwise a look may take this long before the store counts as late, since the machine may be busy. It is shorter
 * than the second for which an orchestrator waits by default.
 */
const LOOKS_WITHIN_MS = 800;
/** The first look is waited for. */
const STARTS_WITHIN_MS = 2_000;
/** The disk is tried at most once in this time. */
const LOOKS_EVERY_MS = 1_000;
/** Reports of nodes come every two seconds, and each look writes: they use a good result for so long. */
const GOOD_FOR_MS = 30_000;
/** Older results say nothing about now: the store is late. */
const HOLDS_MS = 3_000;

/** Finds why events cannot be stored, one check at a time. */
export class StoringProof {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #look: () => Promise<readonly Finding[]>;
  readonly #late: readonly Finding[];
  #last: { readonly found: readonly Finding[]; readonly atMs: number } | null = null;
  #looking: Promise<readonly Finding[]> | null = null;
  #lookingSinceMs = 0;

  /** `late`: the finding for a silent store. */
  constructor(clock: Pick<Clock, 'steadyMs'>, look: () => Promise<readonly Finding[]>, late: readonly Finding[]) {
    this.#clock = clock;
    this.#look = look;
    this.#late = late;
  }

  async read(): Promise<readonly Finding[]> {
    const last = this.#last;
    if (this.#looking === null && last !== null && this.#ageMs() < LOOKS_EVERY_MS) return last.found;
    this.#looking ??= this.#lookOnce();
    const found = await within<readonly Finding[] | null>(this.#patienceMs(), this.#looking, null);
    if (found !== null) return found;
    return last !== null && this.#ageMs() < HOLDS_MS ? last.found : this.#late;
  }

  /** Looks again, if the last look found something or is old. Nobody waits for it. */
  renew(): void {
    const isGood = this.#last !== null && this.#last.found.length === 0;
    if (!isGood || this.#ageMs() >= GOOD_FOR_MS) void this.read();
  }

  /** Waits once for a hanging store; later callers learn at once. */
  #patienceMs(): number {
    if (this.#last === null) return STARTS_WITHIN_MS;
    if (this.#ageMs() < HOLDS_MS) return ANSWERS_WITHIN_MS;
    return Math.max(ANSWERS_WITHIN_MS, LOOKS_WITHIN_MS - (this.#clock.steadyMs() - this.#lookingSinceMs));
  }

  async #lookOnce(): Promise<readonly Finding[]> {
    const atMs = this.#clock.steadyMs();
    this.#lookingSinceMs = atMs;
    try {
      const found = await this.#look();
      this.#last = { found, atMs };
      return found;
    } finally {
      this.#looking = null;
    }
  }

  #ageMs(): number {
    return this.#last === null ? Number.POSITIVE_INFINITY : this.#clock.steadyMs() - this.#last.atMs;
  }
}
