import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import type { BodyReader } from './body-fields.ts';

const READ_TIMEOUT_MS = 5_000;
const PER_NETWORK = 16;
/** 64 MB at most. */
const TOTAL = 1_024;
const RETRY_AFTER_MS = 1_000;

/**
 * Reads bodies of requests that are not authenticated. A body that does not come together with its head, as an honest
 * client's on a good line does, must come within some seconds, and a network may have few of them at a time.
 */
export class UnauthenticatedBodies {
  readonly #clients: ClientAddresses;
  readonly #withinMs: number;
  readonly #reading = new Map<string, number>();
  #total = 0;

  constructor(clients: ClientAddresses, withinMs = READ_TIMEOUT_MS) {
    this.#clients = clients;
    this.#withinMs = withinMs;
  }

  /** The same reader, which also throws `overloaded` while too many bodies are being read, and `request_timeout`. */
  reader<T>(read: BodyReader<T>): BodyReader<T> {
    return async (context) => {
      await endOfTurn(); // Node parses what came with the head after it has emitted the request.
      if (context.req.complete) return read(context);
      const network = this.#clients.networkOf(context.req);
      const reading = this.#reading.get(network) ?? 0;
      if (reading >= PER_NETWORK || this.#total >= TOTAL) {
        throw closingAfter(context, new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS }));
      }
      this.#reading.set(network, reading + 1);
      this.#total += 1;
      try {
        return await inTime(context, read(context), this.#withinMs);
      } finally {
        this.#leave(network);
      }
    };
  }

  #leave(network: string): void {
    this.#total -= 1;
    const left = (this.#reading.get(network) ?? 0) - 1;
    if (left > 0) this.#reading.set(network, left);
    else this.#reading.delete(network);
  }
}

async function inTime<T>(context: Context, read: Promise<T>, withinMs: number): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(closingAfter(context, new ApiError('request_timeout'))), withinMs);
  return Promise.race([read, tooLate]).finally(() => clearTimeout(timer));
}

/** The response closes the connection, as the rest of the body is not read. */
function closingAfter({ res }: Context, error: ApiError): ApiError {
  res.shouldKeepAlive = false;
  return error;
}
