import type { Logger } from 'pino';
import { StoreUnavailable } from '../store/calls.ts';

/**
 * Calls the store. After an unexpected error, retries once with `isCareful`: an event that fails again becomes a dead
 * letter, others go on. Rejects like the retry.
 */
export async function retryCarefully<T>(log: Logger, call: (isCareful: boolean) => Promise<T>): Promise<T> {
  try {
    return await call(false);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    log.error(
      { err: error },
      'an event could not be processed; if the retry fails as well, it becomes a dead letter. See pushctl doctor, and please report this',
    );
    return call(true);
  }
}
