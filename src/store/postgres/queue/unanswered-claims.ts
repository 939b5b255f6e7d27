import { ConnectionLost } from '../errors.ts';
import { type QueueDeps, untilUncrossed } from './deps.ts';

/** The database may go on with a request for so long after the connection was lost. */
const LATEST_MS = 60_000;

/**
 * Requests whose connection was lost before their answer: nobody knows whether they have claimed anything. What they
 * have is given back, or it would be this node's for as long as it lives, and never sent.
 */
export class UnansweredClaims {
  readonly #deps: QueueDeps;
  /** Numbers of requests, and until when they are looked for. */
  readonly #lost = new Map<number, number>();
  #last = 0;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Asks by a number of its own. */
  async numbered<T>(ask: (number: number) => Promise<T>): Promise<T> {
    const number = ++this.#last;
    try {
      return await ask(number);
    } catch (error) {
      if (error instanceof ConnectionLost) this.#lost.set(number, performance.now() + LATEST_MS);
      throw error;
    }
  }

  async release(): Promise<void> {
    if (this.#lost.size === 0) return;
    const nowMs = performance.now();
    const values = [[...this.#lost.keys()], this.#deps.node];
    await untilUncrossed(this.#deps, ({ ask }) => ask({ text: 'SELECT release_unanswered($1, $2)', values }));
    for (const [number, untilMs] of this.#lost) if (untilMs < nowMs) this.#lost.delete(number);
  }
}
