import type { Moment } from '../../src/process/clock.ts';
import type { Actor, CallName } from '../../src/store/calls.ts';
import type { CallHandlers } from '../../src/store/handlers/handler.ts';
import { AssumedSounds } from '../../src/store/postgres/accept/assumed-sounds.ts';
import {
  type Connection,
  type ConnectionSettings,
  type Connections,
  connectionsTo,
} from '../../src/store/postgres/connections.ts';
import { openPostgres, type PostgresNode } from '../../src/store/postgres/engine.ts';
import { assembleHandlers as postgresHandlers } from '../../src/store/postgres/handlers.ts';
import { beforeEvents, beforeLists } from '../../src/store/postgres/lists.ts';
import { NO_NODE } from '../../src/store/postgres/nodes/leases.ts';
import { NOTHING_OWNED } from '../../src/store/postgres/queue/letting-go.ts';
import { rememberedByPlace, sqlOver } from '../../src/store/postgres/sql.ts';
import { isLongRead, isRead, unpack } from '../../src/store/reply.ts';
import type { Awaitable } from '../../src/store/sql.ts';
import { assembleHandlers as sqliteHandlers } from '../../src/store/sqlite/handlers.ts';
import type { Db } from '../../src/store/sqlite/transaction.ts';
import type { EngineName } from './engine-names.ts';
import { HOUR_MS, type PostgresOnly, type SqliteOnly } from './engines.ts';
import { NOW_MS, someSettings } from './store.ts';
import type { World } from './world.ts';

/** The effects of a call on the rows of a store, in a transaction that is rolled back. */
export interface RowCounts {
  readonly answer: unknown;
  readonly changed: number;
  /** Rows and index entries that were read; null: the engine does not say. */
  readonly scanned: number | null;
  /** Rows by table, or its index, the largest first. */
  readonly most: readonly string[];
  /** Steps of its plans that read a whole table or index; null: the engine does not say. */
  readonly scans: readonly string[] | null;
  /** All steps of its plans; null: the engine does not say. */
  readonly steps: readonly string[] | null;
}

export type CountRows = (name: CallName, args: object, now: Moment, actor?: Actor) => Promise<RowCounts>;

type Handler = (args: object, now: Moment, actor?: Actor) => unknown;

/** Counts until it is disposed of. */
export function rowCounts(world: World, engine: EngineName): AsyncDisposable & { readonly count: CountRows } {
  if (engine === 'sqlite') {
    return { count: overSqlite((world as unknown as SqliteOnly).db), [Symbol.asyncDispose]: async () => {} };
  }
  const { store, url } = world as unknown as PostgresOnly;
  const outside = outsideCommitter(url);
  const within = overPostgres(store);
  return {
    count: (name, ...asked) => (OUTSIDE_COMMITTER.has(name) ? outside.count : within)(name, ...asked),
    [Symbol.asyncDispose]: outside.close,
  };
}

/** PostgreSQL carries these out in transactions of their own, beside the control changes. */
const OUTSIDE_COMMITTER: ReadonlySet<CallName> = new Set([
  'proveWritable',
  'checkEvent',
  'countUses',
  'takeBackUses',
  'claimBatches',
  'settleBatch',
  'releaseBatch',
  'expireOverdue',
]);

class RolledBack extends Error {
  readonly counts: RowCounts;

  constructor(counts: RowCounts) {
    super('rolled back, as was meant');
    this.counts = counts;
  }
}

function handlerOf(handlers: Partial<CallHandlers>, name: CallName): Handler {
  const handler = handlers[name] as Handler | undefined;
  if (handler === undefined) throw new Error(`${name} is carried out in another way`);
  return handler;
}

const CHANGED = `
  sum(pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid))::bigint`;
const COUNTS = `
  SELECT relname AS name, ${CHANGED} AS changed, sum(pg_stat_get_xact_tuples_returned(oid))::bigint AS scanned
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i') GROUP BY relname
  HAVING ${CHANGED} > 0 OR sum(pg_stat_get_xact_tuples_returned(oid)) > 0 ORDER BY 3 DESC`;

interface TableCounts {
  readonly name: string;
  readonly changed: number;
  readonly scanned: number;
}

/** A node of its own, whose statements outside of transactions are counted. They are committed. */
function outsideCommitter(url: string): { readonly count: CountRows; close(): Promise<void> } {
  let counted: TableCounts[] = [];

  /** A statement is a transaction of its own. */
  function counting(connection: Connection): Connection {
    const within = async <T>(work: () => Promise<T>): Promise<T> => {
      await connection.execute('BEGIN');
      const counts = connection.sql.all<object, TableCounts>(COUNTS);
      const before = await counts({});
      const done = await work();
      counted.push(...(await difference(before, await counts({}))));
      await connection.execute('COMMIT');
      return done;
    };
    /** A procedure ends its own transactions. `post_events`, the only one, does what `acceptEvent` does. */
    const ask: Connection['ask'] = (asked) =>
      asked.text.startsWith('CALL ') ? connection.ask(asked) : within(() => connection.ask(asked));
    const execute: Connection['execute'] = (...statements) => within(() => connection.execute(...statements));
    return { ask, execute, sql: sqlOver(ask, rememberedByPlace()) };
  }

  function connect(settings: ConnectionSettings): Connections {
    const connections = connectionsTo(settings);
    return { ...connections, lend: (work) => connections.lend((connection) => work(counting(connection))) };
  }

  const clock = { wallMs: () => NOW_MS, steadyMs: () => NOW_MS };
  const node = { node: 'counting', leaseMs: HOUR_MS, answerWithinMs: HOUR_MS };
  const opening = openPostgres({ url, settings: someSettings(), clock, connect, ...node });
  return {
    async count(name, args) {
      const store = await opening;
      counted = [];
      const answer = unpack(await store.ask({ name, args }));
      return countsOf(answer, counted);
    },
    close: async () => (await opening).close(),
  };
}

function difference(before: readonly TableCounts[], after: readonly TableCounts[]): readonly TableCounts[] {
  const known = new Map(before.map((row) => [row.name, row]));
  return after.map(({ name, changed, scanned }) => ({
    name,
    changed: changed - (known.get(name)?.changed ?? 0),
    scanned: scanned - (known.get(name)?.scanned ?? 0),
  }));
}

function countsOf(answer: unknown, rows: readonly TableCounts[]): RowCounts {
  return {
    answer,
    changed: rows.reduce((sum, row) => sum + row.changed, 0),
    scanned: rows.reduce((sum, row) => sum + row.scanned, 0),
    most: rows
      .toSorted((a, b) => b.scanned + b.changed - a.scanned - a.changed)
      .slice(0, 6)
      .map((row) => `${row.name} ${row.scanned}/${row.changed}`),
    scans: null,
    steps: null,
  };
}

function overPostgres(store: PostgresNode): CountRows {
  return async (name, args, now, actor) => {
    try {
      const request = { name, args };
      const lists = beforeLists([request]);
      const kind = isLongRead(request) ? 'long read' : isRead(request) ? 'read' : 'long write';
      const around = isRead(request) ? { before: lists } : { first: [lists, beforeEvents([request])].join(';') };
      await store.connections.transaction(
        kind,
        async (connection) => {
          const handlers = postgresHandlers(
            connection,
            someSettings(),
            () => NO_NODE,
            new AssumedSounds(),
            NOTHING_OWNED,
          );
          const counts = connection.sql.all<object, TableCounts>(COUNTS);
          // The connection's earlier work is in its counts until it reports it.
          const before = await counts({});
          const answer = await handlerOf(handlers, name)(args, now, actor);
          throw new RolledBack(countsOf(answer, difference(before, await counts({}))));
        },
        around,
      );
    } catch (error) {
      if (error instanceof RolledBack) return error.counts;
      throw error;
    }
    throw new Error('a transaction that throws ends');
  };
}

function overSqlite(db: Db): CountRows {
  const executed = new Set<string>();
  const prepare = db.prepare.bind(db);
  const watched = new Proxy(db, {
    get(target, property) {
      if (property === 'prepare') return (text: string) => watch(prepare(text), () => executed.add(text));
      const value = Reflect.get(target, property, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const hooks = {
    onRollback() {},
    reportRevocation() {},
    attempt: async <T>(part: () => Awaitable<T>) => ({ done: await part() }),
  };
  const handlers = sqliteHandlers(watched, someSettings(), hooks);
  const changes = prepare('SELECT total_changes()').pluck();
  return async (name, args, now, actor) => {
    executed.clear();
    db.exec('BEGIN');
    try {
      const before = Number(changes.get());
      const answer = await handlerOf(handlers, name)(args, now, actor);
      const changed = Number(changes.get()) - before;
      const steps = [...executed].flatMap((text) => stepsOf(prepare, text));
      return { answer, changed, scanned: null, most: [], scans: steps.filter(isWhole), steps };
    } finally {
      db.exec('ROLLBACK');
    }
  };
}

function watch<S extends ReturnType<Db['prepare']>>(statement: S, onExecuted: () => void): S {
  for (const method of ['run', 'get', 'all', 'iterate'] as const) {
    const execute = statement[method].bind(statement) as (...values: unknown[]) => unknown;
    Object.defineProperty(statement, method, {
      value: (...values: unknown[]) => {
        onExecuted();
        return execute(...values);
      },
    });
  }
  return statement;
}

/** Tables that hold little in any case, and what a statement has found before. */
const SMALL =
  'CONSTANT|json_each|asked|called|signed_token|route_pause|sqlite_schema|pushctl_schema|plan|mark|import|cleanup_job|dead_letter|first|deferred|unread|accepted|every_level|bound|oldest|pending';

/** Whether a step reads all of a table or of an index. */
function isWhole(step: string): boolean {
  return new RegExp(`^SCAN (?!(?:${SMALL})\\b|\\()`).test(step);
}

function stepsOf(prepare: Db['prepare'], text: string): readonly string[] {
  const bare = text.replace(/'[^']*'/g, "''");
  const named = Object.fromEntries([...bare.matchAll(/(?<!:):(\w+)/g)].map(([, name]) => [name, null]));
  const places = [...bare.matchAll(/\?/g)].map(() => null);
  const plan = prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
  const steps = places.length > 0 ? plan.all(...places) : plan.all(named);
  return steps.map(({ detail }) => detail);
}
