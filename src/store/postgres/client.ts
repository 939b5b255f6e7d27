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
