import { packagePath } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import { type Migration, migrationsIn } from '../migration-files.ts';
import type { Connection, Connections } from './connections.ts';
import { unavailableReason } from './errors.ts';
import { takingLock } from './locks.ts';

/** Of a schema: the number of its last migration, and the oldest one that a program must know to use it. */
export interface SchemaVersion {
  readonly version: number;
  readonly oldest: number;
}

/**
 * What whoever opens a database may do to its schema: bring it up to date, make it where there is none, or only use one
 * that is. A command leaves it as it is, as an upgrade may end the use of older nodes.
 */
export type SchemaRight = 'upgrade' | 'create' | 'use';

/** All that this version knows, in their order. */
export function readMigrations(
  folder: string = packagePath('src', 'store', 'postgres', 'migrations'),
): readonly Migration[] {
  return migrationsIn(folder);
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
  let allowed = may;
  for (;;) {
    const found = await connections.transaction('write', async (connection) => {
      await connection.execute(takingLock('migrations'), { isLong: true });
      const schema = await schemaOf(connection, connections.place);
      refuseNewer(schema, migrations.length, connections.place);
      const next = migrations[schema.version];
      if (next === undefined) return schema;
      if (schema.version === 0 && allowed === 'create') allowed = 'upgrade';
      if (allowed !== 'upgrade') throw notUpToDate(schema, migrations.length, connections.place);
      await apply(connection, next, connections.place);
      return null;
    });
    if (found !== null) return found;
  }
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
    return new OperatorProblem(`${place} is empty: nobody has used it with pushctl yet.`, 1, {
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
