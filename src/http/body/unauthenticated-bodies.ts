import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { ClientAddresses } from '../client-address.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import type { BodyReader } from './session-body.ts';

const PATIENCE_MS = 5_000;
const PER_NETWORK = 16;
/** 64 MB at most. */
const IN_ALL = 1_024;
const RETRY_AFTER_MS = 1_000;

/**
 * Reads bodies before it is known whose they are. Those that do not come with their request's head, as all do that
 * are sent by honest clients on a good line, are few for each network, and must be quick.
 */
export class UnauthenticatedBodies {
  readonly #clients: ClientAddresses;
  readonly #coming = new Map<string, number>();
  #inAll = 0;

  constructor(clients: ClientAddresses) {
    this.#clients = clients;
  }

  /** The same reader; it also throws `overloaded` where too many bodies are on their way, and `request_timeout`. */
  reader<T>(read: BodyReader<T>): BodyReader<T> {
    return async (context) => {
      await endOfTurn(); // Node parses what came along with the head after it has told of the head.
      if (context.req.complete) return read(context);
      const network = this.#clients.networkOf(context.req);
      const coming = this.#coming.get(network) ?? 0;
      if (coming >= PER_NETWORK || this.#inAll >= IN_ALL) {
        throw partingWith(context, new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS }));
      }
      this.#coming.set(network, coming + 1);
      this.#inAll += 1;
      try {
        return await inTime(context, read(context));
      } finally {
        this.#leave(network);
      }
    };
  }

  #leave(network: string): void {
    this.#inAll -= 1;
    const left = (this.#coming.get(network) ?? 0) - 1;
    if (left > 0) this.#coming.set(network, left);
    else this.#coming.delete(network);
  }
}

async function inTime<T>(context: Context, read: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(partingWith(context, new ApiError('request_timeout'))), PATIENCE_MS);
  return Promise.race([read, tooLate]).finally(() => clearTimeout(timer));
}

/** The answer ends the connection: nobody waits for the rest of the body. */
function partingWith({ res }: Context, error: ApiError): ApiError {
  res.shouldKeepAlive = false;
  return error;
}
