import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { isoWithoutZone } from '../values/timestamp.ts';

/**
 * Logs JSON lines asynchronously, to stdout by default. Client input must not be logged, except request id and method:
 * no header fields, bodies or paths.
 */
export function createLog(level: Level, destination?: DestinationStream): Logger {
  const timestamp = () => `,"time":"${isoWithoutZone(Date.now())}Z"`;
  const options = { level, base: null, timestamp };
  return pino(options, destination ?? pino.destination({ sync: false }));
}
