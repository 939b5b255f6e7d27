import pg from 'pg';
import type { Awaitable, Sql } from '../sql.ts';
import { AbandonedBackends, type Backend } from './abandoned.ts';
import { answered, Client, lost, parserOf, placeOf } from './client.ts';
import { ConnectionLost } from './errors.ts';
import { backendOf, beginSession, END_BACKENDS } from './session.ts';
import { type Answered, type Ask, NOW_MS, rememberedByPlace, sqlOver } from './sql.ts';

/** A connection that is lent: one statement at a time is under way on it. */
export interface Connection {
  /** With parameters by name. */
  readonly sql: Sql;
  /** With parameters by place (`$1`). */
  readonly ask: Ask;
  /** Several statements without parameters, as one. `isLong`: they take any time. */
  execute(text: string, options?: { readonly isLong: boolean }): Promise<void>;
}

export type TransactionKind =
  /** Sees one moment throughout, and can change nothing. */
  | 'read'
  /** A read that may take long over a large database. */
  | 'long read'
  /** Each statement sees what was committed before it. */
  | 'write'
  /** No caller waits for its answer at once. */
  | 'long write'
  /** Takes whatever it takes. */
  | 'unlimited write';

export interface Connections {
  /** `host:port/database`, for messages. */
  readonly place: string;
  /** Lends a connection for as long as `work` takes. Waits for one where all are lent. */
  lend<T>(work: (connection: Connection) => Awaitable<T>): Promise<T>;
  /**
   * Lends a connection within a transaction, which is committed with the answer, and rolled back where `work` throws.
   * Throws `ConnectionLost` also where the connection ends during the commit: it may or may not have happened.
   * `first`: statements that it begins with, and `before`: what goes before it, on one way to the database with its
   * beginning. `nowMs`: the database's clock after them.
   */
  transaction<T>(
    kind: TransactionKind,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
    around?: { readonly before?: string; readonly first?: string },
  ): Promise<T>;
  /** Ends in the database what served a connection that is given up here, and counts it until that is done. */
  abandon(backend: Backend): void;
  /** Once those that are lent are back. */
  close(): Promise<void>;
}

export interface ConnectionSettings {
  /** `postgres://user:password@host/database?sslmode=…`; its `options` may set a search_path. */
  readonly url: string;
  /** How many there are at most. */
  readonly most?: number;
  /** For how long a new connection is waited for. */
  readonly connectMs?: number;
  /** The database ends a connection that does nothing for so long within a transaction: others wait for its locks. */
  readonly idleMs?: number;
  /** For how long a statement outside of a transaction may take. */
  readonly statementMs?: number;
  /** For how long any answer is waited for at most: a machine without power sends no error. */
  readonly answerMs?: number;
  /** Multiplies how long locks and statements may take, up to `answerMs`: for tests that race on a busy machine. */
  readonly patience?: number;
}

export const CONNECT_MS = 5_000;
const MOST = 8;
const IDLE_MS = 10_000;
const LOCK_MS = 3_000;

/** What takes longer in the database is ended there. A long read keeps rows that others have no more use for. */
const STATEMENT_MS: Readonly<Record<TransactionKind, number>> = {
  read: 4_000,
  'long read': 30_000,
  write: 4_000,
  'long write': 30_000,
  'unlimited write': 0,
};
/** So much longer its answer is waited for: a question ends in the database before the client gives up. */
const MARGIN_MS = 500;
const ANSWER_MS = 35_000;

/**
 * Sets the limits with SET LOCAL, since another caller may use the connection next. What does not take long finds its
 * rows by an index, whatever the statistics say: a table that was small may just have grown.
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
  /** For how long an answer is waited for; undefined: for as long as it takes. */
  waitMs: number | undefined;
}

/** Opens no connection yet: each is made when it is first needed, and anew after it broke. */
export function connectionsTo({
  url,
  most = MOST,
  connectMs = CONNECT_MS,
  idleMs = IDLE_MS,
  statementMs = STATEMENT_MS.write,
  answerMs = ANSWER_MS,
  patience = 1,
}: ConnectionSettings): Connections {
  /** In the database; its answer is waited for a little longer. */
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
    // A process may end while some are open and idle.
    allowExitOnIdle: true,
    max: most,
    onConnect: async (client) => register(client, await answered(client, { text: session }, connectMs)),
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  // One that breaks while idle is replaced at the next use; one that is lent throws at the next statement.
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
      // Nothing depends on how a transaction ends that has changed nothing.
      if (kind === 'read' || kind === 'long read') answer.resolve(done);
      // Of a transaction in which a statement has failed, the database makes a rollback, and no error.
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
