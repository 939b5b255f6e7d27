import { ApiError } from '../errors.ts';

/** Whether a request is among those that are counted. */
interface Counted {
  isInFlight: boolean;
}

const RETRY_AFTER_MS = 1_000;

/**
 * The requests that are being answered, and how many may be at a time. One leaves while its body is on its way: it waits for
 * its client then, and keeps nobody else out.
 */
export class InFlight {
  readonly #maxInFlight: number;
  #count = 0;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Throws `overloaded` where there are too many already. */
  enter(request: Counted): void {
    if (this.#count >= this.#maxInFlight) throw new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
    this.#count += 1;
    request.isInFlight = true;
  }

  leave(request: Counted): void {
    if (request.isInFlight) this.#count -= 1;
    request.isInFlight = false;
  }
}
