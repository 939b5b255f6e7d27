import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
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

/** An error's name and stack without its message, which may quote what a client sent. */
export function withoutWords(error: unknown): { name: string; code?: string; at: readonly string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, ...(code !== undefined && { code }), at: frames.slice(0, 6).map((line) => line.trim()) };
}
