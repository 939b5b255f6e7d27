import pg from 'pg';
import type { Awaitable, Sql } from '../sql.ts';
import { ConnectionLost } from './errors.ts';
import { NOW_MS } from './moment.ts';
import { type Answered, type Ask, rememberedByPlace, sqlOver } from './sql.ts';

/** A connection that is lent: one statement at a time is under way on it. */
export interface Connection {
  /** With parameters by name. */
  readonly sql: Sql;
  /** With parameters by place (`$1`). */
  readonly ask: Ask;
  /** Several statements without parameters, as one. `isLong`: nobody knows how long they take. */
  execute(text: string, options?: { readonly isLong: boolean }): Promise<void>;
}

export type TransactionKind =
  /** Sees one moment throughout, and can change nothing. */
  | 'read'
  /** Each statement sees what was committed before it. */
  | 'write';

export interface Connections {
  /** `host:port/database`, for messages. */
  readonly place: string;
  /** Lends a connection for as long as `work` takes. Waits for one where all are lent. */
  lend<T>(work: (connection: Connection) => Awaitable<T>): Promise<T>;
  /**
   * Lends a connection within a transaction, which is committed with the answer, and rolled back where `work` throws.
   * Throws `ConnectionLost` also where the connection ends during the commit: then nobody knows whether it happened.
   * `first`: statements that it begins with, on one way to the database with its beginning. `nowMs`: the database's clock
   * after them.
   */
  transaction<T>(
    kind: TransactionKind,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
    first?: string,
  ): Promise<T>;
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
  /** For how long an answer is waited for: a machine that has lost its power tells nobody. */
  readonly answerMs?: number;
}

export const CONNECT_MS = 5_000;
const MOST = 8;
const IDLE_MS = 10_000;
/** What takes longer keeps rows that others have no more use for. */
const READ_MS = 30_000;
/** Longer than anything that the database limits itself. */
const ANSWER_MS = READ_MS + 5_000;

/** For this transaction alone, as the connection may be another's in the next one. */
function beginnings(idleMs: number): Readonly<Record<TransactionKind, string>> {
  const both = `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
  return {
    read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${both}; SET LOCAL statement_timeout = ${READ_MS}`,
    write: `BEGIN ISOLATION LEVEL READ COMMITTED; ${both}`,
  };
}

/** Opens no connection yet: each is made when it is first needed, and anew after it broke. */
export function connectionsTo({
  url,
  most = MOST,
  connectMs = CONNECT_MS,
  idleMs = IDLE_MS,
  answerMs = ANSWER_MS,
}: ConnectionSettings): Connections {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'pushctl',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // A process may end while some are open that nobody has.
    allowExitOnIdle: true,
    max: most,
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  // One that breaks while nobody has it is replaced at the next use; one that is lent tells it at the next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const placed = rememberedByPlace();
  const begin = beginnings(idleMs);
  const known = new WeakMap<pg.PoolClient, Connection>();

  function connectionOf(client: pg.PoolClient): Connection {
    const before = known.get(client);
    if (before !== undefined) return before;
    const ask: Ask = ({ values, longestMs = answerMs, ...asked }) =>
      answered(client, { ...asked, values: [...values], query_timeout: Math.min(longestMs, answerMs) });
    const execute: Connection['execute'] = async (text, { isLong } = { isLong: false }) =>
      void (await answered(client, { text, ...(!isLong && { query_timeout: answerMs }) }));
    const connection: Connection = { sql: sqlOver(ask, placed), ask, execute };
    known.set(client, connection);
    return connection;
  }

  async function lend<T>(work: (connection: Connection) => Awaitable<T>): Promise<T> {
    const client = await pool.connect().catch(lost);
    return released(client, () => work(connectionOf(client)));
  }

  async function transaction<T>(
    kind: TransactionKind,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
    first = '',
  ): Promise<T> {
    const client = await pool.connect().catch(lost);
    const answer = Promise.withResolvers<T>();
    released(client, async () => {
      const done = await begun(client, `${begin[kind]}; ${first}; SELECT ${NOW_MS} AS now_ms`, work);
      // Nothing depends on how a transaction ends that has changed nothing.
      if (kind === 'read') answer.resolve(done);
      // Of a transaction in which a statement has failed, the database makes a rollback, and no error.
      const { command } = await connectionOf(client).ask({ text: 'COMMIT', values: [] });
      if (command !== 'COMMIT') throw new Error('a statement has failed unnoticed, so nothing was committed');
      return done;
    }).then(answer.resolve, answer.reject);
    return answer.promise;
  }

  async function begun<T>(
    client: pg.PoolClient,
    text: string,
    work: (connection: Connection, nowMs: number) => Awaitable<T>,
  ): Promise<T> {
    const connection = connectionOf(client);
    try {
      const answers = await answered<readonly Answered[]>(client, { text, query_timeout: answerMs });
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
    close: () => pool.end(),
  };
}

/** Gives the connection back once the work is done, and no more to anybody where it broke. */
async function released<T>(client: pg.PoolClient, work: () => Awaitable<T>): Promise<T> {
  let broken: ConnectionLost | undefined;
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectionLost) broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The driver's declarations leave out that a question may have a limit of its own. */
type Query = pg.QueryConfig & { readonly query_timeout?: number };

/** Of several statements without parameters, an answer for each. */
async function answered<A = Answered>(client: pg.PoolClient, query: Query): Promise<A> {
  try {
    return (await client.query(query)) as A;
  } catch (error) {
    return lost(error);
  }
}

/** What neither the database says nor the parameters cause comes from the way to it. */
export function lost(error: unknown): never {
  if (error instanceof pg.DatabaseError && !ENDS_CONNECTION.has(error.code ?? '')) throw error;
  if (error instanceof TypeError || error instanceof RangeError) throw error;
  throw new ConnectionLost(error as Error);
}

/** The server ends the connection: it was told to, it stops, another of its processes has crashed, or time was over. */
const ENDS_CONNECTION: ReadonlySet<string> = new Set(['57P01', '57P02', '57P05', '25P03', '25P04']);

/** Whole numbers of the store are never beyond what a number can hold. */
const AS_NUMBER: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  return AS_NUMBER.has(oid) ? Number : pg.types.getTypeParser(oid as never, format as never);
}

/** Without what is secret. */
export function placeOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`;
}
