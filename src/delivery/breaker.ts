import type { Outcome } from '../push.ts';

/** How many of the last answers count. */
const WINDOW = 200;
/** So many devices refused and none accepted: the route itself is wrong. */
const ALL_REFUSED = 3;
/** So many devices refused, and more than were accepted: something changed under us. */
const MOST_REFUSED = 10;

interface Answer {
  readonly deviceId: number;
  readonly suspect: boolean;
}

/**
 * Tokens of a wrong environment or project are refused in the same words as dead ones. So such a refusal (a *suspect*)
 * deactivates a device only while the route is known to be good, that is, while more of the last answers were acceptances;
 * and many of them trip the breaker, before any device is deactivated.
 */
export class Breaker {
  readonly #window: Answer[] = [];

  note(outcome: Outcome, deviceId: number): void {
    const suspect = isSuspect(outcome);
    if (!suspect && outcome.kind !== 'accepted') return;
    this.#window.push({ deviceId, suspect });
    if (this.#window.length > WINDOW) this.#window.shift();
  }

  get tripped(): boolean {
    const suspects = this.#window.filter(({ suspect }) => suspect);
    const accepted = this.#window.length - suspects.length;
    const devices = new Set(suspects.map(({ deviceId }) => deviceId)).size;
    return accepted === 0 ? devices >= ALL_REFUSED : devices >= MOST_REFUSED && suspects.length > accepted;
  }

  /** A suspect is not spent while the route is paused, fails alone while nothing vouches for the route, else is believed. */
  inContext(outcome: Outcome, isPaused: boolean): Outcome {
    if (outcome.kind !== 'unregistered' || !outcome.suspect) return outcome;
    if (isPaused) return { kind: 'unauthorized', reason: outcome.reason };
    const suspects = this.#window.filter(({ suspect }) => suspect).length;
    return this.#window.length - suspects > suspects ? outcome : { kind: 'rejected', reason: outcome.reason };
  }

  reset(): void {
    this.#window.length = 0;
  }
}

function isSuspect(outcome: Outcome): boolean {
  return outcome.kind === 'unregistered' && outcome.suspect === true;
}
