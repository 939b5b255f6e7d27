/** The driver's client: it asks, parses the answers, and tells connection errors from errors of statements. */
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
    // The driver made the stack trace as it read the answer. The caller's stack says more.
    Error.captureStackTrace(error as Error);
    if (error instanceof pg.DatabaseError && isConnectionLost(error)) throw new ConnectionLost(error);
    return lost(error);
  }
}

/** Uses a callback and a timer of our own: with the driver's, a query outlives many garbage collections. */
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

/** Rethrows errors of the database and of the parameters. All other errors are errors of the connection. */
export function lost(error: unknown): never {
  if (error instanceof pg.DatabaseError) throw error;
  if (error instanceof TypeError || error instanceof RangeError) throw error;
  throw new ConnectionLost(error as Error);
}

/**
 * Whether the error ends the connection, so that it is unknown whether the statement was executed. The server may
 * translate its severity, so codes count too (57P…: shut down or terminated; 25P…: timeouts). A pooler that lost its
 * server reports 08P01 as FATAL (PgBouncer).
 */
function isConnectionLost({ code = '', severity = '' }: pg.DatabaseError): boolean {
  return /^(?:08|57P0[125]|25P0[34])/.test(code) || severity === 'FATAL' || severity === 'PANIC';
}

/** The types whose whole numbers fit into a JavaScript number, as all numbers of the store do. */
const AS_NUMBER: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

export function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  return AS_NUMBER.has(oid) ? Number : pg.types.getTypeParser(oid as never, format as never);
}

/**
 * The driver's client for an address with a password file. The file is read for each connection, since it may change
 * while a server runs. If it cannot be read, the known password is used.
 */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const { searchParams } = new URL(config.connectionString ?? '');
    const [file, known] = [searchParams.get('password_file'), searchParams.get('password')];
    // An address overrides this option of the driver, so it is set here.
    if (file !== null) Object.assign(this, { password: () => readPassword(file, known ?? '') });
  }
}

async function readPassword(file: string, known: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || known;
}

/** Returns `host:port/database` without the secrets of the address. */
export function placeOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`;
}
