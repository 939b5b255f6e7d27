import pg from 'pg';
import type { Awaitable, Sql } from '../sql.ts';
import {
  AbandonedBackends,
  answered,
  type Backend,
  backendOf,
  beginSession,
  Client,
  END_BACKENDS,
  lost,
  parserOf,
  placeOf,
} from './client.ts';
import { ConnectionLost } from './errors.ts';
import { type Answered, type Ask, NOW_MS, rememberedByPlace, sqlOver } from './sql.ts';

/** A borrowed connection: one statement at a time. */
export interface Connection {
  /** Named parameters. */
  readonly sql: Sql;
  /** Positional parameters (`$1`). */
  readonly ask: Ask;
  /** Executes statements without parameters together. `isLong`: no limit. */
  execute(text: string, options?: { readonly isLong: boolean }): Promise<void>;
}

export type TransactionKind =
  /** Sees one snapshot, and changes nothing. */
  | 'read'
  /** May take long in a large database. */
  | 'long read'
  /** Statements see everything committed before them. */
  | 'write'
  /** Nobody waits for its answer. */
  | 'long write'
  /** No time limit. */
  | 'unlimited write';

interface Around {
  readonly before?: string;
  readonly first?: string;
  /** The columns of a SELECT: by default only `wallMs`. */
  readonly clock?: string;
}

/** The database's clock. `steadyMs`: the queue's time. `isDoubted`: a jump of the clock may not be counted yet. */
export interface DatabaseTime {
  readonly wallMs: number;
  readonly steadyMs?: number;
  readonly isDoubted?: boolean;
}

export interface Connections {
  /** `host:port/database`, for messages. */
  readonly place: string;
  /** Lends a connection during `work`, and waits if all are lent. */
  lend<T>(work: (connection: Connection) => Awaitable<T>): Promise<T>;
  /**
   * Lends a connection within a transaction, committed if `work` returns, rolled back if it throws. If the connection
   * ends during the commit, throws `ConnectionLost`; the commit may have happened.
   *
   * `before`: statements committed ahead. `first`: the transaction's first. Both are sent with BEGIN in one round trip.
   * `time`: the answer to `clock` after them.
   */
  transaction<T>(
    kind: TransactionKind,
    work: (connection: Connection, time: DatabaseTime) => Awaitable<T>,
    around?: Around,
  ): Promise<T>;
  /** Ends an abandoned connection's backend, and counts it until gone. */
  abandon(backend: Backend): void;
  /** Closes once all borrowed connections are back. */
  close(): Promise<void>;
}

export interface ConnectionSettings {
  /** `postgres://user:password@host/database?sslmode=…`; `options` may set a search_path. */
  readonly url: string;
  /** Most connections. */
  readonly most?: number;
  /** Longest wait for a new connection, ms. */
  readonly connectMs?: number;
  /** The database ends a connection that idles this long within a transaction, because others wait for its locks. */
  readonly idleMs?: number;
  /** Longest statement outside transactions, ms. */
  readonly statementMs?: number;
  /** The longest wait for an answer, ms: dead machines send no error. */
  readonly answerMs?: number;
  /** Multiplies lock and statement limits, up to `answerMs`: for tests on busy machines. */
  readonly patience?: number;
}

export const CONNECT_MS = 5_000;
const MOST = 8;
const IDLE_MS = 10_000;
const LOCK_MS = 3_000;

/** Statement limits in the database. Long reads keep old row versions. */
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
 * Sets limits with SET LOCAL: another caller may use the connection next. Short statements always use an index:
 * statistics of tables just grown may be outdated.
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

interface Known {
  readonly connection: Connection;
  readonly backend: Backend | null;
  /** Longest wait for an answer, ms; undefined: no limit. */
  waitMs: number | undefined;
}

/** Returns connections opened on demand, and reopened after they broke. */
export function connectionsTo({
  url,
  most = MOST,
  connectMs = CONNECT_MS,
  idleMs = IDLE_MS,
  statementMs = STATEMENT_MS.write,
  answerMs = ANSWER_MS,
  patience = 1,
}: ConnectionSettings): Connections {
  /** Returns the database's limit. The client waits slightly longer. */
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
    // Lets a process end with idle connections.
    allowExitOnIdle: true,
    max: most,
    onConnect: async (client) => register(client, await answered(client, { text: session }, connectMs)),
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  // An idle broken connection is replaced at its next use. A borrowed one throws.
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

  /** Returns the connection to the pool, or discards it if it broke. */
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
    work: (connection: Connection, time: DatabaseTime) => Awaitable<T>,
    { before = '', first = '', clock = `${NOW_MS} AS "wallMs"` }: Around = {},
  ): Promise<T> {
    const client = await pool.connect().catch(lost);
    const answer = Promise.withResolvers<T>();
    const longestMs = STATEMENT_MS[kind];
    const begin = buildBegin(kind, idleMs, longestMs === 0 ? 0 : limitMs(longestMs), lockMs);
    const ahead = before === '' ? '' : `BEGIN; ${before}; COMMIT`;
    workAndRelease(client, async (of) => {
      of.waitMs = longestMs === 0 ? answerMs : waitFor(longestMs);
      const done = await runBegun(client, of, `${ahead}; ${begin}; ${first}; SELECT ${clock}`, work);
      // A read changed nothing: its answer need not await COMMIT.
      if (kind === 'read' || kind === 'long read') answer.resolve(done);
      // After a failed statement, COMMIT answers with a rollback, no error.
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
    work: (connection: Connection, time: DatabaseTime) => Awaitable<T>,
  ): Promise<T> {
    try {
      const answers = await answered<readonly Answered[]>(client, { text }, waitMs);
      const { rows } = answers.at(-1) as Answered;
      const [time] = rows as readonly [DatabaseTime];
      return await work(connection, time);
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
