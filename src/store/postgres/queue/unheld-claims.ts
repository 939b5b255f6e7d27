import { ConnectionLost } from '../errors.ts';
import { type QueueDeps, untilUncrossed } from './deps.ts';

/** After a request without an answer, each further one looks first for what it may have claimed. */
const DOUBT_MS = 60_000;

const CLAIMED = `
  SELECT array_agg(id) AS ids FROM claim WHERE node_id = $1 AND request <= $2 AND NOT request = ANY ($3::bigint[])`;

/**
 * Claims that are this node's in the database and that nobody here has: of a request whose answer was lost, or that the
 * database carried out after all when it was given up. They would be its own for as long as it lives, and never sent.
 */
export class UnheldClaims {
  readonly #deps: QueueDeps;
  readonly #underWay = new Set<number>();
  #last = 0;
  #inDoubtUntilMs = Number.NEGATIVE_INFINITY;

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
      if (error instanceof ConnectionLost) this.#inDoubtUntilMs = performance.now() + DOUBT_MS;
      throw error;
    } finally {
      this.#underWay.delete(number);
    }
  }

  async releaseIfInDoubt(isHeld: (id: number) => boolean): Promise<void> {
    if (performance.now() < this.#inDoubtUntilMs) await this.release(isHeld);
  }

  /** Gives back what none of its finished requests has brought. `isHeld`: asked once the database has answered. */
  async release(isHeld: (id: number) => boolean): Promise<void> {
    const { node } = this.#deps;
    const values = [node, this.#last, [...this.#underWay]];
    const { rows } = await untilUncrossed(this.#deps, ({ ask }) => ask({ text: CLAIMED, values }));
    const [{ ids }] = rows as readonly [{ readonly ids: readonly string[] | null }];
    const unheld = (ids ?? []).map(Number).filter((id) => !isHeld(id));
    if (unheld.length === 0) return;
    await untilUncrossed(this.#deps, ({ ask }) =>
      ask({ text: 'SELECT release_claims($1, $2)', values: [unheld, node] }),
    );
  }
}
