import { lstatSync } from 'node:fs';
import pLimit from 'p-limit';
import { errorDetail } from '../contract/details.ts';
import type { BodyBudget } from '../http/limits/body-budget.ts';
import { OperatorProblem } from '../process/problem.ts';
import { LEVELS, ROUTES } from '../push.ts';
import { withCalls } from '../store/client.ts';
import { isListening } from '../store/transports/socket-client.ts';
import { type Readers, type SocketOptions, serveSocket } from '../store/transports/socket-server.ts';

interface Field {
  readonly is: (value: unknown) => boolean;
  readonly must: string;
  readonly isOptional?: true;
}

type Fields = Readonly<Record<string, Field>>;

const LONGEST_TEXT = 1_000;
/** A `Date`'s maximum. */
const LATEST_MS = 8.64e15;

const text: Field = {
  is: (value) => typeof value === 'string' && value.length <= LONGEST_TEXT && !/\p{Cc}/u.test(value),
  must: `must be a text of at most ${LONGEST_TEXT} characters, without control characters`,
};
const flag: Field = { is: (value) => typeof value === 'boolean', must: 'must be true or false' };
const count: Field = { is: Number.isSafeInteger, must: 'must be an integer' };
const time: Field = {
  is: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= LATEST_MS,
  must: 'must be a time in milliseconds since 1970',
};
const level = oneOf(LEVELS);
const route = oneOf(ROUTES);

function oneOf(values: readonly unknown[]): Field {
  return { is: (value) => values.includes(value), must: `must be one of ${values.join(', ')}` };
}

function optional(field: Field): Field {
  return { ...field, isOptional: true };
}

/** Returns a function that picks the named arguments, or rejects the first wrong one. */
function argumentsOf(call: string, fields: Fields): Readers['calls'][string] {
  const named = Object.entries(fields);
  return (args) => {
    const wrong = named.find(([name, { is, isOptional }]) =>
      args[name] === undefined ? isOptional !== true : !is(args[name]),
    );
    if (wrong !== undefined) {
      const [name, { must }] = wrong;
      const detail = { ...errorDetail('not_valid'), field: name };
      return { refused: 'invalid', message: `${call}: ${name} ${must}.`, detail };
    }
    return {
      args: Object.fromEntries(named.flatMap(([name]) => (Object.hasOwn(args, name) ? [[name, args[name]]] : []))),
    };
  };
}

/**
 * Calls for the service's group: `pushctl status`, `tail`, `stats`, `event list`. They reveal events' texts, names of
 * workspaces and channels, counts, reasons and device ids. They hide keys, tokens, devices' addresses, people and the
 * audit log.
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
/** Concurrent calls, below the store's limit, so none is refused. */
const AT_ONCE = 4;
/** The command line tool's own limit. */
const MOST_EVENTS = 500;

interface ReadersOptions extends Omit<SocketOptions, 'readers'> {
  readonly bodies: Pick<BodyBudget, 'open'>;
  readonly idleMs?: number;
}

/** Opens the reading socket. Throws `OperatorProblem` if the path is taken. */
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

/** Allows replacing a dead server's socket only. */
async function refuseTaken(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isSocket() && !(await isListening(path)))) return;
  const what = found.isSocket() ? 'another server listens there' : 'another file is at that path';
  throw new OperatorProblem(`cannot create read_socket ${path}: ${what}.`, 1, { advice: 'Set another path.' });
}
