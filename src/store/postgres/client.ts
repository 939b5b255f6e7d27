/** The driver's client: how it asks, what it reads, and which of its errors concern the way to the database. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { ConnectionLost, NoAnswer } from './errors.ts';
import type { Answered } from './sql.ts';

/**
 * Of several statements without parameters, an answer for each. `waitMs`: for how long it is waited for; not given: for as
 * long as it takes.
 */
export async function answered<A = Answered>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
  waitMs?: number,
): Promise<A> {
  try {
    return await ask<A>(client, query, waitMs);
  } catch (error) {
    // It was made where the answer was read; who asked says more.
    Error.captureStackTrace(error as Error);
    if (error instanceof pg.DatabaseError && endsConnection(error)) throw new ConnectionLost(error);
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

/** What neither the database says nor the parameters cause comes from the way to it. */
export function lost(error: unknown): never {
  if (error instanceof pg.DatabaseError) throw error;
  if (error instanceof TypeError || error instanceof RangeError) throw error;
  throw new ConnectionLost(error as Error);
}

/**
 * Whether the connection ends with this error, and whether the question was carried out is not known: of the server, which
 * may say its severity in another language (57P…: it was asked to, or stops; 25P…: time was over), or of a pooler that has
 * lost the server (PgBouncer: FATAL, 08P01).
 */
function endsConnection({ code = '', severity = '' }: pg.DatabaseError): boolean {
  return /^(?:08|57P0[125]|25P0[34])/.test(code) || severity === 'FATAL' || severity === 'PANIC';
}

/** Whole numbers of the store are never beyond what a number can hold. */
const AS_NUMBER: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

export function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  return AS_NUMBER.has(oid) ? Number : pg.types.getTypeParser(oid as never, format as never);
}

/**
 * The driver's client, for an address that names the file of its password: it is read for each connection, as it may be
 * changed while a server runs. Where it cannot be read any more, the password is as it was.
 */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const { searchParams } = new URL(config.connectionString ?? '');
    const [file, known] = [searchParams.get('password_file'), searchParams.get('password')];
    // An option of the driver's, which an address overrides.
    if (file !== null) Object.assign(this, { password: () => readPassword(file, known ?? '') });
  }
}

async function readPassword(file: string, known: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || known;
}

/** Without what is secret. */
export function placeOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`;
}
