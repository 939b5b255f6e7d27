/** The driver's client: parses answers, and separates connection errors from statement errors. */

import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { ConnectionLost, NoAnswer } from './errors.ts';
import type { Answered } from './sql.ts';

/**
 * Resolves with the answer; several statements without parameters have one answer each. `waitMs`: the longest wait;
 * undefined: no limit.
 */
export async function answered<A = Answered>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
  waitMs?: number,
): Promise<A> {
  try {
    return await ask<A>(client, query, waitMs);
  } catch (error) {
    // The driver's stack begins at the answer. The caller's says more.
    Error.captureStackTrace(error as Error);
    if (error instanceof pg.DatabaseError && isConnectionLost(error)) throw new ConnectionLost(error);
    return lost(error);
  }
}

/** Uses our own callback and timer: the driver's outlive many garbage collections. */
function ask<A>(client: pg.ClientBase, query: pg.QueryConfig, waitMs = Number.POSITIVE_INFINITY): Promise<A> {
  return new Promise((resolve, reject) => {
    const timer = Number.isFinite(waitMs) ? setTimeout(() => reject(new NoAnswer()), waitMs) : undefined;
    client.query(query, (error: Error | null, answer: unknown) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(answer as A);
    });
  });
}

/** Rethrows database and parameter errors. All others are connection errors. */
export function lost(error: unknown): never {
  if (error instanceof pg.DatabaseError) throw error;
  if (error instanceof TypeError || error instanceof RangeError) throw error;
  throw new ConnectionLost(error as Error);
}

/**
 * Whether the error ends the connection: the statement may have been executed. Codes count too, as severities may be
 * translated (57P…: shut down; 25P…: timeouts). PgBouncer reports a lost server as FATAL 08P01.
 */
function isConnectionLost({ code = '', severity = '' }: pg.DatabaseError): boolean {
  return /^(?:08|57P0[125]|25P0[34])/.test(code) || severity === 'FATAL' || severity === 'PANIC';
}

/** Types whose whole numbers fit a JavaScript number, as all of the store's do. */
const AS_NUMBER: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

export function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  return AS_NUMBER.has(oid) ? Number : pg.types.getTypeParser(oid as never, format as never);
}

/**
 * The driver's client for an address with a password file, read per connection since it may change. If unreadable, the
 * known password is used.
 */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const { searchParams } = new URL(config.connectionString ?? '');
    const [file, known] = [searchParams.get('password_file'), searchParams.get('password')];
    // An address overrides this driver option, so it is set here.
    if (file !== null) Object.assign(this, { password: () => readPassword(file, known ?? '') });
  }
}

async function readPassword(file: string, known: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || known;
}

/** Returns `host:port/database`, without secrets. */
export function placeOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`;
}

/** Statement limits in ms, enforced by the database: duration, and wait for a lock. 0: none. */
interface Bounds {
  readonly statementMs: number;
  readonly lockMs: number;
}

/** How often the database checks that the client still waits. */
const CHECK_MS = 1_000;

/**
 * Limits that a role may set, and that end idle connections or long work. `transaction_timeout` is known from 17 on.
 */
const UNLIMITED = `('idle_session_timeout', 'transaction_timeout')`;

/**
 * Returns a connection's first statements; the last returns its backend. JIT is off: compiling took 140 ms, executing
 * 0.6 ms.
 *
 * Silent peers are noticed after 30 s, hung-up ones at once on some systems
 * (https://www.postgresql.org/docs/current/runtime-config-connection.html). A pooler may apply these settings to
 * another pushctl client's session.
 */
export function beginSession({ statementMs, lockMs }: Bounds): string {
  return `
    SET jit = off; SET statement_timeout = ${statementMs}; SET lock_timeout = ${lockMs};
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4;
    SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ${UNLIMITED};
    DO $$ BEGIN
      PERFORM set_config('client_connection_check_interval', '${CHECK_MS}', false);
    EXCEPTION WHEN OTHERS THEN NULL;
    END $$;
    SELECT pid, extract(epoch FROM backend_start)::text AS "startedAt" FROM pg_stat_get_activity(pg_backend_pid())`;
}

/** Ends these backends; returns those that still exist. `$1`: pids, `$2`: start times. */
export const END_BACKENDS = `
  SELECT pid, "startedAt", pg_terminate_backend(pid) FROM unnest($1::int[], $2::text[]) AS given(pid, "startedAt")
  JOIN pg_stat_activity AS now USING (pid) WHERE extract(epoch FROM now.backend_start)::text = given."startedAt"`;

/** Returns a connection's backend; null behind poolers, which invent process ids. */
export function backendOf(answer: unknown, client: pg.ClientBase): Backend | null {
  const { processID } = client as { readonly processID?: unknown };
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const [found] = (answers.at(-1) as { readonly rows?: readonly Partial<Backend>[] } | undefined)?.rows ?? [];
  if (found?.pid === undefined || found.startedAt === undefined || found.pid !== processID) return null;
  return { pid: found.pid, startedAt: found.startedAt };
}

export interface Backend {
  readonly pid: number;
  /** The start time as the database writes it, because pids are reused. */
  readonly startedAt: string;
}

/** Ends existing backends, and returns those. */
type EndBackends = (backends: readonly Backend[]) => Promise<readonly Backend[]>;

const LOOK_EVERY_MS = 1_000;

/**
 * Abandoned connections' backends. They may still execute, and hold locks and a slot: they count until known to be
 * gone.
 */
export class AbandonedBackends {
  readonly #end: EndBackends;
  readonly #onCount: (count: number) => void;
  #left: readonly Backend[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(end: EndBackends, onCount: (count: number) => void) {
    this.#end = end;
    this.#onCount = onCount;
  }

  add(backend: Backend): void {
    this.#keep([...this.#left, backend]);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const asked = this.#left;
    // Without the database's answer, all count as still there.
    const found = await this.#end(asked).catch(() => asked);
    const there = new Set(found.map(({ pid }) => pid));
    this.#keep(this.#left.filter((backend) => !asked.includes(backend) || there.has(backend.pid)));
    this.#timer = this.#left.length === 0 ? null : setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  #keep(left: readonly Backend[]): void {
    this.#left = left;
    this.#onCount(left.length);
  }
}
