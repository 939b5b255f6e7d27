import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/**
 * Structured lines, one JSON object each, to stdout by default, asynchronously. Of what a client sent only
 * the request id and the method may be logged: no header fields, no bodies, no paths.
 */
export function createLog(level: Config['log']['level'], destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ sync: false }));
}
