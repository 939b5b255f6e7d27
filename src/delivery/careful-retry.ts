import type { Logger } from 'pino';
import { StoreUnavailable } from '../store/calls.ts';

/**
 * Asks the store, and where that ends in an unexpected error once more, carefully: an event that cannot be worked off is then
 * set aside, and the others go on. Rejects as the second call does.
 */
export async function retryCarefully<T>(log: Logger, call: (isCareful: boolean) => Promise<T>): Promise<T> {
  try {
    return await call(false);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    log.error(
      { err: error },
      'an event could not be worked off and is set aside: see pushctl doctor, and please report it',
    );
    return call(true);
  }
}
