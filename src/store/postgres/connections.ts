import pg from 'pg';
import type { Awaitable, Sql } from '../sql.ts';
import { AbandonedBackends, type Backend } from './abandoned.ts';
import { answered, Client, lost, parserOf, placeOf } from './client.ts';
import { ConnectionLost } from './errors.ts';
import { backendOf, beginSession, END_BACKENDS } from './session.ts';
import { type Answered, type Ask, NOW_MS, rememberedByPlace, sqlOver } from './sql.ts';

/** A borrowed connection. It executes one statement at a time. */
export interface Connection {
  /** With parameters by name. */
  readonly sql: Sql;
  /** With parameters by place (`$1`). */
  readonly ask: Ask;
  /** Executes several statements without parameters as one. `isLong`: without a time limit. */
  execute(text: string, options?: { readonly isLong: boolean }): Promise<void>;
}

export type TransactionKind =
  /** Sees one snapshot throughout, and cannot change anything. */
  | 'read'
  /** A read that may take long in a large database. */
  | 'long read'
  /** Each statement sees what was committed before it. */
  | 'write'
  /** No caller waits for its answer at once. */
  | 'long write'
  /** Has no time limit. */
  | 'unlimited write';

export interface Connections {
  /** `host:port/database`, for messages. */
  readonly place: string;
  /** Lends a connection while `work` runs. If all are lent, it waits for one. */
  lend<T>(work: (connection: Connection) => Awaitable<T>): Promise<T>;
  /**
   * Lends a connection within a transaction. The transaction is committed if `work` returns, and rolled back if it
   * throws. If the connection ends during the commit, `ConnectionLost` is thrown, and the commit may have happened.
   *
   * `before`: statements that are committed ahead of the transaction. `first`: its first statements. Both are sent with
   * its BEGIN in one round trip. `nowMs`: the database's clock after them.
   */
  transaction<T>(
    kind: TransactionKind,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
    around?: { readonly before?: string; readonly first?: string },
  ): Promise<T>;
  /** Ends the backend of an abandoned connection in the database, and counts it until it is gone. */
  abandon(backend: Backend): void;
  /** Closes the connections once all borrowed ones are back. */
  close(): Promise<void>;
}

export interface ConnectionSettings {
  /** `postgres://user:password@host/database?sslmode=…`; its `options` may set a search_path. */
  readonly url: string;
  /** The largest number of connections. */
  readonly most?: number;
  /** The longest wait for a new connection, in ms. */
  readonly connectMs?: number;
  /** The database ends a connection that idles this long within a transaction: others wait for its locks. */
  readonly idleMs?: number;
  /** The longest time for a statement outside of a transaction, in ms. */
  readonly statementMs?: number;
  /** The longest wait for any answer, in ms: a machine without power sends no error. */
  readonly answerMs?: number;
  /** Multiplies the limits of locks and statements, up to `answerMs`: for tests on a busy machine. */
  readonly patience?: number;
}

export const CONNECT_MS = 5_000;
const MOST = 8;
const IDLE_MS = 10_000;
const LOCK_MS = 3_000;

/** Time limits of statements in the database. A long read keeps old versions of rows from being removed. */
const STATEMENT_MS: Readonly<Record<TransactionKind, number>> = {
  read: 4_000,
  'long read': 30_000,
  write: 4_000,
  'long write': 30_000,
  'unlimited write': 0,
};
/** The extra wait for an answer, so that a statement ends in the database before the client gives up. */
const MARGIN_MS = 500;
const ANSWER_MS = 35_000;

/**
 * Sets the limits with SET LOCAL, since another caller may use the connection next. Short statements always use an
 * index, because the statistics of a table that has just grown may be outdated.
 */
function buildBegin(kind: TransactionKind, idleMs: number, statementMs: number, lockMs: number): string {
  const isRead = kind === 'read' || kind === 'long read';
  const isLong = kind === 'long read' || kind === 'unlimited write';
  const isolation = isRead ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
  return `
    BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL jit = off; SET LOCAL idle_in_transaction_session_timeout = ${idleMs};
    SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${kind === 'unlimited write' ? 0 : lockMs};
    SET LOCAL enable_seqscan = ${isLong ? 'on' : 'off'}`;
}

/** A client of the pool. */
interface Known {
  readonly connection: Connection;
  readonly backend: Backend | null;
  /** The longest wait for an answer, in ms; undefined: no limit. */
  waitMs: number | undefined;
}

/** Returns connections that are opened when they are first needed, and reopened after they broke. */
export function connectionsTo({
  url,
  most = MOST,
  connectMs = CONNECT_MS,
  idleMs = IDLE_MS,
  statementMs = STATEMENT_MS.write,
  answerMs = ANSWER_MS,
  patience = 1,
}: ConnectionSettings): Connections {
  /** Returns the limit in the database. The client waits a little longer for the answer. */
  const limitMs = (ms: number) => Math.min(ms * patience, Math.round(answerMs * 0.8));
  const waitFor = (ms: number) => Math.min(ms * patience + MARGIN_MS, answerMs);
  const lockMs = limitMs(LOCK_MS);
  const session = beginSession({ statementMs: limitMs(statementMs), lockMs });
  const known = new WeakMap<pg.ClientBase, Known>();
  const pool = new pg.Pool({
    Client: Client as never,
    connectionString: url,
    application_name: 'pushctl',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // A process may end while idle connections are open.
    allowExitOnIdle: true,
    max: most,
    onConnect: async (client) => register(client, await answered(client, { text: session }, connectMs)),
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  // A connection that breaks while idle is replaced at the next use. A borrowed one throws at its next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const placed = rememberedByPlace();
  const abandoned = new AbandonedBackends(
    async (backends) => {
      const values = [backends.map(({ pid }) => pid), backends.map(({ startedAt }) => startedAt)];
      return (await lend(({ ask }) => ask({ text: END_BACKENDS, values }))).rows as readonly Backend[];
    },
    (count) => {
      pool.options.max = Math.max(1, most - count);
    },
  );

  function register(client: pg.ClientBase, answer: unknown): void {
    const readWaitMs = () => known.get(client)?.waitMs;
    const ask: Ask = ({ values, longestMs = Number.POSITIVE_INFINITY, ...asked }) =>
      answered(client, { ...asked, values: [...values] }, Math.min(longestMs, readWaitMs() ?? longestMs));
    const execute: Connection['execute'] = async (text, { isLong } = { isLong: false }) =>
      void (await answered(client, { text }, isLong ? undefined : readWaitMs()));
    const backend = backendOf(answer, client);
    const connection: Connection = { sql: sqlOver(ask, placed), ask, execute };
    known.set(client, { connection, backend, waitMs: waitFor(statementMs) });
  }

  function knownOf(client: pg.PoolClient): Known {
    const found = known.get(client);
    if (found === undefined) throw new Error('a connection that was never begun');
    return found;
  }

  /** Returns the connection to the pool after the work, or discards it if it broke. */
  async function workAndRelease<T>(client: pg.PoolClient, work: (of: Known) => Awaitable<T>): Promise<T> {
    const of = knownOf(client);
    let broken: ConnectionLost | undefined;
    try {
      return await work(of);
    } catch (error) {
      if (error instanceof ConnectionLost) broken = error;
      throw error;
    } finally {
      of.waitMs = waitFor(statementMs);
      if (broken?.isSilent && of.backend !== null) abandoned.add(of.backend);
      client.release(broken);
    }
  }

  async function lend<T>(work: (connection: Connection) => Awaitable<T>): Promise<T> {
    const client = await pool.connect().catch(lost);
    return workAndRelease(client, ({ connection }) => work(connection));
  }

  async function transaction<T>(
    kind: TransactionKind,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
    { before = '', first = '' }: { readonly before?: string; readonly first?: string } = {},
  ): Promise<T> {
    const client = await pool.connect().catch(lost);
    const answer = Promise.withResolvers<T>();
    const longestMs = STATEMENT_MS[kind];
    const begin = buildBegin(kind, idleMs, longestMs === 0 ? 0 : limitMs(longestMs), lockMs);
    const ahead = before === '' ? '' : `BEGIN; ${before}; COMMIT`;
    workAndRelease(client, async (of) => {
      of.waitMs = longestMs === 0 ? answerMs : waitFor(longestMs);
      const done = await runBegun(client, of, `${ahead}; ${begin}; ${first}; SELECT ${NOW_MS} AS now_ms`, work);
      // A read has changed nothing, so its answer need not wait for the COMMIT.
      if (kind === 'read' || kind === 'long read') answer.resolve(done);
      // After a failed statement, the database answers COMMIT with a rollback instead of an error.
      const { command } = await of.connection.ask({ text: 'COMMIT', values: [] });
      if (command !== 'COMMIT') throw new Error('a statement has failed unnoticed, so nothing was committed');
      return done;
    }).then(answer.resolve, answer.reject);
    return answer.promise;
  }

  async function runBegun<T>(
    client: pg.PoolClient,
    { connection, waitMs }: Known,
    text: string,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
  ): Promise<T> {
    try {
      const answers = await answered<readonly Answered[]>(client, { text }, waitMs);
      const { rows } = answers.at(-1) as Answered;
      const [{ now_ms: nowMs }] = rows as readonly [{ readonly now_ms: number }];
      return await work(connection, nowMs);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) await connection.execute('ROLLBACK');
      throw error;
    }
  }

  return {
    place: placeOf(url),
    lend,
    transaction,
    abandon: (backend) => abandoned.add(backend),
    close() {
      abandoned.close();
      return pool.end();
    },
  };
}
