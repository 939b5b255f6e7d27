import { setTimeout } from 'node:timers/promises';
import { packagePath, packageVersion } from '../../process/package.ts';
import { OperatorProblem } from '../../process/problem.ts';
import {
  isBreaking,
  type Migration,
  oldestAfter,
  readMigrationsIn,
  readSqlFilesIn,
  type SqlFile,
  sqlFile,
} from '../schema/files.ts';
import {
  baselineOf,
  NO_SCHEMA,
  refuseSchema,
  SCHEMA,
  type SchemaVersion,
  UNKNOWN_BASELINE,
} from '../schema/version.ts';
import type { Connection, Connections } from './connections.ts';
import { isLockedOut, unavailableReason } from './errors.ts';
import { takingLock } from './locks.ts';
import { withParts } from './queue/reading.ts';

/** Read at start: later the process may run as a data folder's owner, without access. */
const MIGRATIONS = readMigrationsIn(packagePath('src', 'store', 'schema'), 'postgres');
const FUNCTIONS = readSqlFilesIn(packagePath('src', 'store', 'postgres', 'functions')).map(({ file, sql }) =>
  sqlFile(file, withParts(sql)),
);

/**
 * A migration that waits for a table blocks all transactions behind it. So each attempt waits briefly, and attempts go
 * on for two minutes. PostgreSQL cancels an autovacuum for one that waits longer than `deadlock_timeout` (1 s), so
 * every fifth attempt does.
 */
const LOCK_MS = 500;
const LONG_LOCK_MS = 1_500;
const PAUSE_MS = 1_000;
const MOST_TRIES = 80;

/**
 * Permitted schema changes: any upgrade, additions that older nodes can use, creation if missing, or none. Only
 * `pushctl migrate` breaks older nodes, after they have left.
 */
export type SchemaRight = 'upgrade' | 'add' | 'create' | 'use';

export function readMigrations(): readonly Migration[] {
  return MIGRATIONS;
}

/** Returns repeatable files of functions and triggers: changed ones are re-executed. */
export function readFunctions(): readonly SqlFile[] {
  return FUNCTIONS;
}

/**
 * Upgrades the schema in one transaction, rolled back if any part fails. If several nodes start at once, one upgrades.
 * A newer schema stays unchanged if it allows this version.
 *
 * Throws `OperatorProblem` if it does not, if the schema is another program's, or if `may` forbids the change.
 */
export async function migrate(
  connections: Connections,
  migrations: readonly Migration[] = readMigrations(),
  may: SchemaRight = 'upgrade',
): Promise<SchemaVersion> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(connections, migrations, may, tries % 5 === 0 ? LONG_LOCK_MS : LOCK_MS);
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      if (tries === MOST_TRIES) throw lockedOut(error as Error, connections.place);
      await setTimeout(PAUSE_MS);
    }
  }
}

async function migrateOnce(
  connections: Connections,
  migrations: readonly Migration[],
  may: SchemaRight,
  lockMs: number,
): Promise<SchemaVersion> {
  const { place } = connections;
  return connections.transaction('unlimited write', async (connection) => {
    await connection.execute(takingLock('migrations'), { isLong: true });
    const { found, pending } = await planMigration(connection, place, migrations);
    if (pending.length === 0) return found;
    if (!isPermitted(may, found, pending)) throw notUpToDate(found, pending, migrations.length, place);
    // Lets functions call later ones.
    await connection.execute(`SET LOCAL lock_timeout = ${lockMs}; SET LOCAL check_function_bodies = off`);
    await lockTablesOf(pending, connection);
    for (const { file, sql } of pending) {
      await connection.execute(sql, { isLong: true }).catch((error) => {
        throw unavailableReason(error) === undefined
          ? notUpgraded(found, migrations.length, file, error, place)
          : error;
      });
    }
    const schema = { version: migrations.length, oldest: oldestAfter(migrations), digest: baselineOf(migrations) };
    await connection.sql.run<SchemaVersion>(
      'UPDATE pushctl_schema SET version = :version, oldest = :oldest, digest = :digest',
    )(schema);
    await recordFunctions(connection, pending);
    return schemaOf(connection, place);
  });
}

/** Returns what `migrate` would execute. Throws `OperatorProblem` for unusable schemas. */
export async function planMigration(
  connection: Connection,
  place: string,
  migrations = readMigrations(),
): Promise<{ readonly found: SchemaVersion; readonly pending: readonly SqlFile[] }> {
  const found = await schemaOf(connection, place);
  refuseSchema(found, migrations, place);
  if (found.version > migrations.length) return { found, pending: [] };
  return { found, pending: [...migrations.slice(found.version), ...(await changedFunctions(connection, found))] };
}

/** Returns the function files to execute. Older nodes leave newer versions' functions. */
async function changedFunctions({ sql }: Connection, { version }: SchemaVersion): Promise<readonly SqlFile[]> {
  if (version === 0) return FUNCTIONS;
  const rows = await sql.all<object, FunctionFile>('SELECT file, digest, program FROM function_file')({});
  if (rows.some(({ program }) => isNewer(program, packageVersion()))) return [];
  const known = new Map(rows.map(({ file, digest }) => [file, digest]));
  return FUNCTIONS.filter(({ file, digest }) => known.get(file) !== digest);
}

interface FunctionFile {
  readonly file: string;
  readonly digest: string;
  readonly program: string;
}

async function recordFunctions({ sql }: Connection, executed: readonly SqlFile[]): Promise<void> {
  const record = sql.run<FunctionFile>(`
    INSERT INTO function_file (file, digest, program) VALUES (:file, :digest, :program)
    ON CONFLICT (file) DO UPDATE SET digest = excluded.digest, program = excluded.program`);
  const functions = executed.filter((file) => FUNCTIONS.includes(file));
  for (const { file, digest } of functions) await record({ file, digest, program: packageVersion() });
}

/** Compares versions like `0.1.0+587.gad8bb4b` numerically. */
function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

/** Reads the version of the search path's first schema. Version 0: empty. */
export async function schemaOf({ sql }: Connection, place: string): Promise<SchemaVersion> {
  const tables = await sql.values<object, string>(
    'SELECT relname FROM pg_class WHERE relnamespace = current_schema()::text::regnamespace',
  )({});
  if (tables.length === 0) return NO_SCHEMA;
  if (!tables.includes('pushctl_schema')) {
    throw new OperatorProblem(`${place} holds the tables of another program.`, 1, {
      advice: 'Name an empty database in [store] url.',
    });
  }
  // Builds before the baseline recorded no digest.
  if (!tables.includes('function_file')) return UNKNOWN_BASELINE;
  const schema = await sql.get<object, SchemaVersion>(SCHEMA)({});
  if (schema === undefined) throw new OperatorProblem(`${place} has no version of its schema.`);
  return schema;
}

function isPermitted(may: SchemaRight, { version }: SchemaVersion, pending: readonly SqlFile[]): boolean {
  if (may === 'upgrade' || (version === 0 && may !== 'use')) return true;
  return may === 'add' && !pending.some(isBreaking);
}

function notUpToDate(
  { version }: SchemaVersion,
  pending: readonly SqlFile[],
  known: number,
  place: string,
): OperatorProblem {
  if (version === 0) {
    return new OperatorProblem(`${place} is empty: pushctl has not used it yet.`, 1, {
      advice:
        'Start the server (`pushctl serve`), create the first workspace (`pushctl workspace create`), or check [store] url.',
    });
  }
  if (pending.some(isBreaking)) {
    const what = `${place} has schema ${version}. This version of pushctl needs schema ${known}, which older versions cannot use.`;
    return new OperatorProblem(what, 1, {
      advice: 'Run `pushctl migrate`: it makes servers of older versions stop, then upgrades.',
    });
  }
  const has = version === known ? 'the functions of an older version' : `schema ${version}`;
  return new OperatorProblem(`${place} has ${has}, but this version of pushctl needs schema ${known}.`, 1, {
    advice: 'Upgrade it with `pushctl migrate`, or start a server of this version.',
  });
}

function lockedOut({ message }: Error, place: string): OperatorProblem {
  return new OperatorProblem(`${place} was not upgraded: others kept its tables locked (${message}).`, 75, {
    advice: 'Nothing was changed. End long transactions and backups in the database, or try again when they are done.',
  });
}

function notUpgraded(
  { version }: SchemaVersion,
  to: number,
  file: string,
  error: Error,
  place: string,
): OperatorProblem {
  return new OperatorProblem(`${place} could not be upgraded to schema ${to} (${file}): ${error.message}.`, 1, {
    advice: `It still has schema ${version}. Fix the cause and start again.`,
  });
}

/**
 * Tables in the order in which most transactions of accepting, claiming and settling lock them first. A migration that
 * locks in this order waits before it holds what they need next.
 */
const HOT_ORDER: readonly string[] = [
  'node',
  'queue_floor',
  'api_key',
  'workspace',
  'plan',
  'cleanup_job',
  'channel',
  'device',
  'subscription',
  'audience',
  'idempotency_key',
  'event',
  'fan_out',
  'delivery',
  'alert',
  'usage_of_node',
  'tally',
  'queue_change',
  'change',
];

/** Excludes code that is only stored: it locks nothing yet. */
const STORED_CODE = /CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE)\b[\s\S]*?\$\$[\s\S]*?\$\$[^;]*;/g;
const COMMENT = /--.*$/gm;

/** Tables and views with one of these names, or with such an index. */
const NAMED = `
  SELECT DISTINCT relation.relname FROM pg_class AS named
  LEFT JOIN pg_index ON indexrelid = named.oid
  JOIN pg_class AS relation ON relation.oid = coalesce(indrelid, named.oid)
  WHERE named.relnamespace = current_schema()::text::regnamespace AND named.relname = ANY ($1) AND relation.relkind IN ('r', 'v')`;

/**
 * Locks each table that these files name, before any of them is executed. Otherwise a file would lock one table after
 * another while it holds those before, and deadlock with requests that hold them the other way round.
 */
export async function lockTablesOf(
  files: readonly Pick<SqlFile, 'sql'>[],
  { ask, execute }: Connection,
): Promise<void> {
  const words = new Set(files.flatMap(({ sql }) => wordsOf(sql)));
  const { rows } = await ask({ text: NAMED, values: [[...words]] });
  const tables = (rows as readonly { readonly relname: string }[]).map(({ relname }) => relname).sort(inHotOrder);
  if (tables.length > 0) await execute(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

function wordsOf(sql: string): readonly string[] {
  return sql.replace(COMMENT, '').replace(STORED_CODE, '').match(/\w+/g) ?? [];
}

/** Tables outside of the order come last, by name. */
function inHotOrder(a: string, b: string): number {
  return placeOf(a) - placeOf(b) || (a < b ? -1 : 1);
}

function placeOf(table: string): number {
  const place = HOT_ORDER.indexOf(table);
  return place === -1 ? HOT_ORDER.length : place;
}
