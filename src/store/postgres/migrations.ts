import { setTimeout } from 'node:timers/promises';
import { packagePath } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import { type Migration, migrationsIn, type SqlFile, sqlFilesIn } from '../migration-files.ts';
import type { Connection, Connections } from './connections.ts';
import { isLockedOut, unavailableReason } from './errors.ts';
import { takingLock } from './locks.ts';

/** Read when the program starts: later it may act as the owner of a data folder, who perhaps may not read them. */
const MIGRATIONS = migrationsIn(packagePath('src', 'store', 'postgres', 'migrations'));
const FUNCTIONS = sqlFilesIn(packagePath('src', 'store', 'postgres', 'functions'));

/** A migration that waits for a table holds up all behind it: so it is tried for two minutes, and they go first. */
const LOCK_MS = 500;
const PAUSE_MS = 1_000;
const MOST_TRIES = 80;

/** Of a schema: the number of its last migration, and the oldest one that a program must know to use it. */
export interface SchemaVersion {
  readonly version: number;
  readonly oldest: number;
}

/**
 * What a process may do to the schema of its database: bring it up to date, make it where there is none, or only use
 * one that is. A command leaves it as it is, as an upgrade may end the use of older nodes.
 */
export type SchemaRight = 'upgrade' | 'create' | 'use';

/** All that this version knows, in their order. */
export function readMigrations(): readonly Migration[] {
  return MIGRATIONS;
}

/** What functions and triggers there are, each once: an upgrade puts them in place after the last migration. */
export function readFunctions(): readonly SqlFile[] {
  return FUNCTIONS;
}

/**
 * Brings the schema up to date in one transaction: if anything of it fails, all is as it was. Of several nodes that
 * start at once, one does so. A schema that is newer is left as it is, where it allows this version beside the newer
 * ones. Throws an `OperatorProblem` where it does not, for a schema of another program, and for one that is to be changed
 * more than `may` allows.
 */
export async function migrate(
  connections: Connections,
  migrations: readonly Migration[] = readMigrations(),
  may: SchemaRight = 'upgrade',
): Promise<SchemaVersion> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(connections, migrations, may);
    } catch (error) {
      if (!isLockedOut(error) || tries === MOST_TRIES) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

async function migrateOnce(
  connections: Connections,
  migrations: readonly Migration[],
  may: SchemaRight,
): Promise<SchemaVersion> {
  const { place } = connections;
  return connections.transaction('unlimited write', async (connection) => {
    await connection.execute(takingLock('migrations'), { isLong: true });
    const found = await schemaOf(connection, place);
    refuseNewer(found, migrations.length, place);
    const missing = migrations.slice(found.version);
    if (missing.length === 0) return found;
    const mayMake = may === 'create' && found.version === 0;
    if (may !== 'upgrade' && !mayMake) throw notUpToDate(found, migrations.length, place);
    // One function may call another that comes later.
    await connection.execute(`SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL check_function_bodies = off`);
    for (const { file, sql } of [...missing, ...readFunctions()]) {
      await connection.execute(sql, { isLong: true }).catch((error) => {
        throw unavailableReason(error) === undefined
          ? notUpgraded(found, migrations.length, file, error, place)
          : error;
      });
    }
    await connection.execute(`UPDATE pushctl_schema SET version = ${migrations.length}`);
    return schemaOf(connection, place);
  });
}

/** Of the first schema of the search path; version 0: there is nothing in it yet. */
export async function schemaOf({ sql }: Connection, place: string): Promise<SchemaVersion> {
  const tables = await sql.values<object, string>(
    'SELECT relname FROM pg_class WHERE relnamespace = current_schema()::text::regnamespace',
  )({});
  if (tables.length === 0) return { version: 0, oldest: 0 };
  if (!tables.includes('pushctl_schema')) {
    throw new OperatorProblem(`${place} holds the tables of another program.`, 1, {
      advice: 'Name an empty database in [store] url.',
    });
  }
  const schema = await sql.get<object, SchemaVersion>('SELECT version, oldest FROM pushctl_schema')({});
  if (schema === undefined) throw new OperatorProblem(`${place} has lost the version of its schema.`);
  return schema;
}

export function refuseNewer({ version, oldest }: SchemaVersion, known: number, place: string): void {
  if (version <= known || oldest <= known) return;
  throw new OperatorProblem(
    `${place} has schema ${version}, made by a newer pushctl, which needs schema ${oldest}; this one knows schemas up to ${known}.`,
    1,
    { advice: 'Install the newer pushctl.' },
  );
}

function notUpToDate({ version }: SchemaVersion, known: number, place: string): OperatorProblem {
  if (version === 0) {
    return new OperatorProblem(`${place} is empty: pushctl has not used it yet.`, 1, {
      advice:
        'Start the server (`pushctl serve`), or make the first workspace (`pushctl workspace create`); or check [store] url.',
    });
  }
  return new OperatorProblem(`${place} has schema ${version}, and this version of pushctl needs schema ${known}.`, 1, {
    advice: 'Bring it there with `pushctl migrate`, as a server of this version does at its start.',
  });
}

function notUpgraded(
  { version }: SchemaVersion,
  to: number,
  file: string,
  error: Error,
  place: string,
): OperatorProblem {
  return new OperatorProblem(`${place} could not be brought to schema ${to} (${file}): ${error.message}.`, 1, {
    advice: `It is unchanged since schema ${version}; mend the cause and start again.`,
  });
}
