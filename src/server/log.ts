import { type DestinationStream, type Level, type Logger, pino } from 'pino';

/** Logs JSON lines asynchronously, to stdout by default. Of client input, only request id and method may be logged. */
export function createLog(level: Level, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ sync: false }));
}
