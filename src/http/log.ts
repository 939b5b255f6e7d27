import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { withoutWords } from '../problem.ts';
import { StoreUnavailable } from '../store/calls.ts';
import { isUnexpected } from './errors.ts';
import { StoreTrouble, type StoreTroubleDeps } from './store-outage.ts';

/**
 * Structured lines, one JSON object each, to stdout unless told otherwise, asynchronously. Of what a client sent only
 * the request id and the method may be logged: no header fields, no bodies, no paths.
 */
export function createLog(level: Config['log']['level'], destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ sync: false }));
}

/** Logs what an operator should look into. Expected errors are in the line of their request already. */
export function failureLog(deps: StoreTroubleDeps): (requestId: string, error: unknown) => void {
  const trouble = new StoreTrouble(deps);
  return (requestId, error) => {
    if (error instanceof StoreUnavailable) trouble.refused(requestId, error.reason);
    else if (isUnexpected(error)) deps.log.error({ requestId, error: withoutWords(error) }, 'unexpected error');
  };
}
