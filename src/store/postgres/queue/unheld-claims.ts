import { ConnectionLost } from '../errors.ts';
import { lendRetrying, type QueueDeps } from './deps.ts';

/** How long claims look for what an unanswered request claimed: the next claim, then one per `EVERY_MS_UNCERTAIN`. */
const UNCERTAIN_MS = 60_000;
const EVERY_MS_UNCERTAIN = 1_000;

/**
 * Time that each sweep looks after an unanswered request: a stalled backend may continue. Later looks are rare: they
 * read all unvacuumed `claim` rows, as an index would slow each claim.
 */
const LONG_UNCERTAIN_MS = 600_000;
const EVERY_MS = 600_000;

const CLAIMED = `
  SELECT array_agg(id) AS ids FROM claim WHERE node_id = $1 AND request <= $2 AND NOT request = ANY ($3::bigint[])`;

/**
 * Finds this node's claims held by no request: an answer was lost, or the database executed the request after all.
 * Otherwise they would never be sent while the node lives.
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

  /** Runs a numbered request. At its end, its claims are held or known to be lost. */
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

  /** Looks after an unanswered request. Call before claims. */
  async releaseIfUncertain(isHeld: (id: number) => boolean): Promise<void> {
    if (this.#isWithin(UNCERTAIN_MS, this.#uncertainSinceMs) && !this.#isWithin(EVERY_MS_UNCERTAIN, this.#lookedAtMs)) {
      await this.#release(isHeld);
    }
  }

  /** Looks now and then. Call once a minute, with each sweep. */
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

  /** Releases claims that no finished request holds. `isHeld`: called after the database's answer. */
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
