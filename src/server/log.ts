import { type DestinationStream, type Level, type Logger, pino } from 'pino';

/**
 * Structured lines, one JSON object each, to stdout by default, asynchronously. Of what a client sent only
 * the request id and the method may be logged: no header fields, no bodies, no paths.
 */
export function createLog(level: Level, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ sync: false }));
}
