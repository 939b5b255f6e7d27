import { overloaded } from '../errors.ts';

/** The part of a request's state that is counted. */
interface Counted {
  isInFlight: boolean;
}

/**
 * Limits how many requests are answered at a time. A request leaves while its body is being read, as it only waits for
 * its client then.
 */
export class InFlight {
  readonly #maxInFlight: number;
  #count = 0;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Throws `overloaded` where there are too many already. */
  enter(request: Counted): void {
    if (this.#count >= this.#maxInFlight) throw overloaded();
    this.#count += 1;
    request.isInFlight = true;
  }

  leave(request: Counted): void {
    if (request.isInFlight) this.#count -= 1;
    request.isInFlight = false;
  }
}
