import type { Outcome } from '../../push.ts';

/** After so many connections that ended with a 5xx to their first request, waiting pushes try no more. */
const FAILURES_TOLERATED = 3;

/**
 * Sends the first push alone: Apple allows one stream until a first answer, and a dead address should cost one
 * deadline, not one per push. Later pushes wait for it. If it finds no provider, they share its outcome, unsent.
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
    // It asked nothing, so the next push goes first.
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
