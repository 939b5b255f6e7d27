import { lstatSync } from 'node:fs';
import pLimit from 'p-limit';
import type { BodyBudget } from '../http/limits/body-budget.ts';
import { OperatorProblem } from '../process/problem.ts';
import { withCalls } from '../store/client.ts';
import { isListening } from '../store/transports/socket-client.ts';
import type { Readers } from '../store/transports/socket-connection.ts';
import { type SocketOptions, serveSocket } from '../store/transports/socket-server.ts';
import {
  argumentsOf,
  count,
  type Fields,
  flag,
  level,
  oneOf,
  optional,
  route,
  text,
  time,
} from './reader-arguments.ts';

/**
 * The calls of members of the service's group: `pushctl status`, `tail`, `stats` and `event list`. They see titles and
 * descriptions of events, names of workspaces and channels, counts, reasons and ids of devices. They see no key, token,
 * address of a device, person or audit entry.
 */
const READABLE: Readonly<Record<string, Fields>> = {
  alive: {},
  status: {},
  watch: {
    workspace: optional(text),
    channel: optional(text),
    route: optional(route),
    event: optional(text),
    devices: optional(flag),
  },
  stats: { workspace: optional(text), sinceMs: time, by: optional(oneOf(['hour', 'day'])) },
  listRoutes: {},
  listEvents: {
    workspace: text,
    channel: optional(text),
    level: optional(level),
    eventType: optional(text),
    sinceMs: optional(time),
    untilMs: optional(time),
    before: optional(text),
    after: optional(text),
    limit: count,
    q: optional(text),
    scheduled: optional(flag),
  },
};

const IDLE_MS = 120_000;
/** Calls of all readers that run at a time: fewer than the store lets wait, so it refuses none of them. */
const AT_ONCE = 4;
/** The command line tool asks for as many at a time. */
const MOST_EVENTS = 500;

export interface ReadersOptions extends Omit<SocketOptions, 'readers'> {
  readonly bodies: Pick<BodyBudget, 'open'>;
  readonly idleMs?: number;
}

/** A second socket, for reading alone. Throws an `OperatorProblem` where its path is taken. */
export async function serveReaders({
  bodies,
  idleMs = IDLE_MS,
  ...options
}: ReadersOptions): Promise<{ close(): Promise<void> }> {
  const { path, store } = options;
  await refuseTaken(path);
  const inTurn = pLimit(AT_ONCE);
  const calls = Object.entries(READABLE).map(([call, fields]) => [call, argumentsOf(call, fields)] as const);
  const readers: Readers = {
    calls: Object.fromEntries(calls),
    idleMs,
    hold: (name, giveWay) => bodies.open(['readers', name], giveWay),
  };
  return serveSocket({
    ...options,
    readers,
    store: withCalls(store, {
      stats: (...asked) => inTurn(() => store.stats(...asked)),
      listRoutes: (...asked) => inTurn(() => store.listRoutes(...asked)),
      listEvents: ({ limit, ...args }, ...who) =>
        inTurn(() => store.listEvents({ ...args, limit: Math.max(1, Math.min(limit, MOST_EVENTS)) }, ...who)),
    }),
  });
}

/** A dead server's socket may be replaced, and nothing else. */
async function refuseTaken(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isSocket() && !(await isListening(path)))) return;
  const what = found.isSocket() ? 'another server listens there' : 'another file is at that path';
  throw new OperatorProblem(`cannot create read_socket ${path}: ${what}.`, 1, { advice: 'Set another path.' });
}
