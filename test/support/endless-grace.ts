/**
 * Preloaded into a process (`--import`): its pauses that do not keep it running never end. So a server waits at its stop
 * for clients, however long this machine stands still.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const pause = timers.setTimeout;

timers.setTimeout = (ms, value, options) =>
  options?.ref === false ? new Promise(() => {}) : pause(ms, value, options);
syncBuiltinESMExports();
