/** The server under test, as `pushctl serve` would run it, with a watch on its HTTP thread. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../../src/config/load.ts';
import { packageVersion } from '../../../src/process/package.ts';
import { startServer } from '../../../src/server/server.ts';
import { serveHandlers } from './handlers.ts';
import type { Mark } from './marks.ts';
import { Stretches } from './stretches.ts';

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

const stretches = new Stretches();
let longest = { storeHeldMs: 0, checkpointMs: 0, answeredMs: 0 };
const { url, mailPort } = await startServer(loadConfig({ env: process.env }), {
  version: packageVersion(),
  onHeld(held) {
    longest.storeHeldMs = Math.max(longest.storeHeldMs, held.tookMs);
    if (held.by === 'group') longest.answeredMs = Math.max(longest.answeredMs, held.answeredMs);
    else longest.checkpointMs = Math.max(longest.checkpointMs, held.tookMs);
  },
});

const { gatherMarks: gather } = globalThis as { readonly gatherMarks?: () => Promise<readonly Mark[]> };

const handlers = {
  url: () => url,
  /** Null: mail is not taken. */
  mailPort: () => mailPort,
  /** The longest time since the last look for which the HTTP thread did nothing else. */
  longestBlockMs() {
    const longest = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    delay.reset();
    return longest;
  },
  watchStretches: () => stretches.start(),
  /** The HTTP thread's longest one since the last look, once they are watched. */
  longestStretchMs: () => stretches.longestMs(),
  /**
   * The longest times since the last look. The store thread: at one thing, a group of calls or its part of a
   * checkpoint; and that part alone. The HTTP thread: from sending a group to its answers, with its own delays.
   */
  longestOfStore() {
    const found = longest;
    longest = { storeHeldMs: 0, checkpointMs: 0, answeredMs: 0 };
    return found;
  },
  /** Marks of the threads since the last look, if the server was started with `marks.ts`. */
  marks: async (): Promise<readonly Mark[]> => (await gather?.()) ?? [],
  /** A CPU profile needs an orderly end. */
  exit(): void {
    setImmediate(() => process.exit());
  },
};
export type ServerHandlers = typeof handlers;
serveHandlers(handlers);
