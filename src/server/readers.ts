import { lstatSync } from 'node:fs';
import { OperatorProblem } from '../process/problem.ts';
import { isListening } from '../store/transports/socket-client.ts';
import { type SocketOptions, serveSocket } from '../store/transports/socket-server.ts';

/**
 * What members of the service's group may ask for: `pushctl status`, `tail`, `stats` and `event list`. So they see titles
 * and descriptions of events, names of workspaces and channels, counts, reasons and ids of devices; and no key, token,
 * address of a device, person or audit entry.
 */
const READABLE: ReadonlySet<string> = new Set(['alive', 'status', 'watch', 'stats', 'listRoutes', 'listEvents']);

/** As many as the command line tool asks for at a time. */
const MOST_EVENTS = 500;

/** A second socket, for reading alone. Throws an `OperatorProblem` where its path is taken. */
export async function serveReaders(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const { path, store } = options;
  await refuseTaken(path);
  return serveSocket({
    ...options,
    readable: READABLE,
    // Without an actor: a reader changes nothing that the audit log could have.
    store: {
      ...store,
      stats: (args) => store.stats(args),
      listRoutes: (args) => store.listRoutes(args),
      listEvents: (args) => store.listEvents({ ...args, limit: Math.max(1, Math.min(args.limit, MOST_EVENTS)) }),
    },
  });
}

/** A dead server's socket may be replaced, and nothing else. */
async function refuseTaken(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isSocket() && !(await isListening(path)))) return;
  const what = found.isSocket() ? 'another server listens there' : 'something else is there';
  throw new OperatorProblem(`read_socket ${path} cannot be made: ${what}.`, 1, { advice: 'Name another path.' });
}
