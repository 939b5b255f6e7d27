import type { Logger } from 'pino';
import { StoreUnavailable } from '../store/calls.ts';

/**
 * Calls the store. After an unexpected error, calls it once more with `isCareful`: an event that fails again becomes a
 * dead letter, and the others go on. Rejects like the second call.
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
