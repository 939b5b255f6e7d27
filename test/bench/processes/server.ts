/** The server under test, as `pushctl serve` would run it, with a watch on its HTTP thread. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../../src/config/load.ts';
import { packageVersion } from '../../../src/package.ts';
import { startServer } from '../../../src/server/server.ts';
import { threads } from './threads.ts';
import { serveVerbs } from './verbs.ts';

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

let longestCommitMs = 0;
const { url } = await startServer(loadConfig({ env: process.env }), {
  version: packageVersion(),
  onCommitted(_, durationMs) {
    longestCommitMs = Math.max(longestCommitMs, durationMs);
  },
});

const verbs = {
  url: () => url,
  /** The longest time since the last look for which the HTTP thread did nothing else. */
  longestBlockMs() {
    const longest = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    delay.reset();
    return longest;
  },
  /** The longest time since the last look for which the store thread was at work on a group of calls. */
  longestCommitMs() {
    const longest = longestCommitMs;
    longestCommitMs = 0;
    return longest;
  },
  /** What the delivery threads have used: they, and nothing else, are the providers' clients. */
  sendingMs(): number {
    const [, ...delivery] = threads().filter(({ name }) => name === 'WorkerThread');
    return delivery.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  },
  /** A CPU profile needs an orderly end. */
  exit(): void {
    setImmediate(() => process.exit());
  },
};
export type ServerVerbs = typeof verbs;
serveVerbs(verbs);
