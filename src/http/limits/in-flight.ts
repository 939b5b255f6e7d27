import { overloaded } from '../errors.ts';

interface Counted {
  isInFlight: boolean;
}

/**
 * Limits concurrent requests. A request does not count while its body is read, since it then only waits for its client.
 */
export class InFlight {
  readonly #maxInFlight: number;
  #count = 0;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Throws `overloaded` if there are too many. */
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
