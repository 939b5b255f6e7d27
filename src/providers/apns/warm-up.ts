import type { Outcome } from '../../push.ts';

/** Connections ended by a 5xx to the first request until waiting pushes stop trying. */
const FAILURES_TOLERATED = 3;

/**
 * Sends the first push alone, as Apple allows one stream until an answer, and a dead address should cost one deadline.
 * Others wait and, without a provider, share the outcome unsent.
 */
export class WarmUp {
  readonly #connection: () => object | null;
  #warm: object | null = null;
  #first: Promise<Outcome | null> | null = null;
  #failures = 0;

  /** `connection`: of the next send; null: not open. */
  constructor(connection: () => object | null) {
    this.#connection = connection;
  }

  send(send: () => Promise<Outcome>): Promise<Outcome> {
    return this.#isWarm() ? send() : this.#sendCold(send);
  }

  async #sendCold(send: () => Promise<Outcome>): Promise<Outcome> {
    while (!this.#isWarm()) {
      if (this.#first === null) return this.#goFirst(send);
      const shared = await this.#first;
      if (shared !== null) return shared;
    }
    return send();
  }

  #isWarm(): boolean {
    return this.#warm !== null && this.#connection() === this.#warm;
  }

  async #goFirst(send: () => Promise<Outcome>): Promise<Outcome> {
    const sending = send();
    this.#first = sending.then(
      (outcome) => this.#firstEnded(outcome),
      () => this.#firstEnded(null),
    );
    await this.#first;
    return sending;
  }

  /** Returns the waiting pushes' outcome; null: each tries. */
  #firstEnded(outcome: Outcome | null): Outcome | null {
    this.#first = null;
    // Unsent, so the next goes first.
    if (outcome?.kind === 'recalled') return null;
    this.#warm = this.#connection();
    return outcome !== null && this.#isAboutAll(outcome) ? outcome : null;
  }

  /** Tells whether the next push would fare the same; answers for one device never do. */
  #isAboutAll(outcome: Outcome): boolean {
    if (outcome.kind === 'unavailable' || outcome.kind === 'unauthorized') return true;
    if (outcome.kind !== 'deferred' || this.#warm !== null) return false;
    if (outcome.pace === 'fault') return true;
    this.#failures = (this.#failures + 1) % FAILURES_TOLERATED;
    return this.#failures === 0;
  }
}
