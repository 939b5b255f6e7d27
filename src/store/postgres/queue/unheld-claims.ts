import { ConnectionLost } from '../errors.ts';
import { lendRetrying, type QueueDeps } from './deps.ts';

/** After a request without an answer, further ones look first for what it may have claimed: the next one, then so often. */
const UNCERTAIN_MS = 60_000;
const EVERY_MS_UNCERTAIN = 1_000;

/**
 * A backend that stood still may go on later, so long after an uncertain one each sweep looks. Otherwise there should be nothing
 * to find, and a look reads all that the database has not tidied up of `claim`: an index for it would cost each claim.
 */
const LONG_UNCERTAIN_MS = 600_000;
const EVERY_MS = 600_000;

const CLAIMED = `
  SELECT array_agg(id) AS ids FROM claim WHERE node_id = $1 AND request <= $2 AND NOT request = ANY ($3::bigint[])`;

/**
 * Claims that are this node's in the database, and held by none of its requests: of a request whose answer was lost, or
 * that the database carried out after all when it was given up. They would be its own for as long as it lives, and
 * never sent.
 */
export class UnheldClaims {
  readonly #deps: QueueDeps;
  readonly #underWay = new Set<number>();
  #last = 0;
  #uncertainSinceMs = Number.NEGATIVE_INFINITY;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Carries out a request by a number of its own. By its end, what it has claimed is held, or known to be lost. */
  async numbered<T>(request: (number: number) => Promise<T>): Promise<T> {
    const number = ++this.#last;
    this.#underWay.add(number);
    try {
      return await request(number);
    } catch (error) {
      if (error instanceof ConnectionLost) this.#becameUncertain();
      throw error;
    } finally {
      this.#underWay.delete(number);
    }
  }

  /** To be asked before each claim. */
  async releaseIfUncertain(isHeld: (id: number) => boolean): Promise<void> {
    if (this.#isWithin(UNCERTAIN_MS, this.#uncertainSinceMs) && !this.#isWithin(EVERY_MS_UNCERTAIN, this.#lookedAtMs)) {
      await this.#release(isHeld);
    }
  }

  /** To be asked with each sweep, once a minute. */
  async releaseNowAndThen(isHeld: (id: number) => boolean): Promise<void> {
    if (this.#isWithin(LONG_UNCERTAIN_MS, this.#uncertainSinceMs) || !this.#isWithin(EVERY_MS, this.#lookedAtMs)) {
      await this.#release(isHeld);
    }
  }

  #becameUncertain(): void {
    this.#uncertainSinceMs = performance.now();
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
  }

  #isWithin(ms: number, sinceMs: number): boolean {
    return performance.now() < sinceMs + ms;
  }

  /** Gives back what none of its finished requests has brought. `isHeld`: asked once the database has answered. */
  async #release(isHeld: (id: number) => boolean): Promise<void> {
    const { node } = this.#deps;
    const askedAtMs = performance.now();
    const values = [node, this.#last, [...this.#underWay]];
    const { rows } = await lendRetrying(this.#deps, ({ ask }) => ask({ text: CLAIMED, values }));
    if (this.#uncertainSinceMs < askedAtMs) this.#lookedAtMs = askedAtMs;
    const [{ ids }] = rows as readonly [{ readonly ids: readonly string[] | null }];
    const unheld = (ids ?? []).map(Number).filter((id) => !isHeld(id));
    if (unheld.length === 0) return;
    await lendRetrying(this.#deps, ({ ask }) => ask({ text: 'SELECT release_claims($1, $2)', values: [unheld, node] }));
  }
}
