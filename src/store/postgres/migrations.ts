import { setTimeout } from 'node:timers/promises';
import { packagePath } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import { type Migration, migrationsIn } from '../migration-files.ts';
import type { Connection, Connections } from './connections.ts';
import { isLockedOut, unavailableReason } from './errors.ts';
import { takingLock } from './locks.ts';

/** Read when the program starts: later it may act as the owner of a data folder, who perhaps may not read them. */
const MIGRATIONS = migrationsIn(packagePath('src', 'store', 'postgres', 'migrations'));

/**
 * A migration that waits for a table keeps all behind it waiting: so it is tried repeatedly, for two minutes, and
 * they go first.
 */
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

/**
 * Brings the schema up to date, one transaction a migration: one that fails leaves it as it was before it. Of several
 * nodes that start at once, one does so. A schema that is newer is left as it is, where it allows this version beside
 * the newer ones. Throws an `OperatorProblem` where it does not, for a schema of another program, and for one that is
 * to be changed more than `may` allows.
 */
export async function migrate(
  connections: Connections,
  migrations: readonly Migration[] = readMigrations(),
  may: SchemaRight = 'upgrade',
): Promise<SchemaVersion> {
  let right = may;
  for (let tries = 1; ; ) {
    try {
      const { schema, isDone } = await migrateOnce(connections, migrations, right);
      if (isDone) return schema;
      // A process that may make a schema makes all of it.
      if (schema.version === 0) right = 'upgrade';
      tries = 1;
    } catch (error) {
      if (!isLockedOut(error) || tries === MOST_TRIES) throw error;
      tries += 1;
      await setTimeout(PAUSE_MS);
    }
  }
}

/** Returns the schema as it was found; `isDone`: there was nothing to do. */
async function migrateOnce(
  connections: Connections,
  migrations: readonly Migration[],
  may: SchemaRight,
): Promise<{ readonly schema: SchemaVersion; readonly isDone: boolean }> {
  return connections.transaction('unlimited write', async (connection) => {
    await connection.execute(takingLock('migrations'), { isLong: true });
    const schema = await schemaOf(connection, connections.place);
    refuseNewer(schema, migrations.length, connections.place);
    const next = migrations[schema.version];
    if (next === undefined) return { schema, isDone: true };
    const mayMake = may === 'create' && schema.version === 0;
    if (may !== 'upgrade' && !mayMake) throw notUpToDate(schema, migrations.length, connections.place);
    await apply(connection, next, connections.place);
    return { schema, isDone: false };
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

async function apply(connection: Connection, { version, file, sql }: Migration, place: string): Promise<void> {
  try {
    await connection.execute(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await connection.execute(sql, { isLong: true });
    await connection.execute(`UPDATE pushctl_schema SET version = ${version}`);
  } catch (error) {
    if (unavailableReason(error) !== undefined) throw error;
    throw new OperatorProblem(
      `${place} could not be brought to schema ${version} (${file}): ${(error as Error).message}.`,
      1,
      { advice: `It is unchanged since schema ${version - 1}; mend the cause and start again.` },
    );
  }
}
