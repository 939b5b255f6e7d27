import { randomBytes } from 'node:crypto';
import { OperatorProblem } from '../../process/problem.ts';
import { type Connection, type ConnectionSettings, type Connections, connectionsTo } from './connections.ts';
import { openingProblem, unavailableReason } from './errors.ts';

/** 14.0: oldest tested. */
const OLDEST_SERVER = 140_000;

/** Works with a database not opened as a store. Rejects with an `OperatorProblem` if it is unusable. */
export async function withConnections<T>(
  settings: ConnectionSettings,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = connectionsTo(settings);
  try {
    return await work(connections);
  } catch (error) {
    throw openingProblem(connections.place, error);
  } finally {
    await connections.close();
  }
}

/** Throws an `OperatorProblem` if the server is too old, or the database unsuitable. */
export async function refuseServer(connection: Connection, place: string): Promise<void> {
  const { sql } = connection;
  await refuseOthers(connection, place);
  const version = Number(await sql.value<object, string>('SHOW server_version_num')({}));
  const schema = await sql.value<object, string | null>('SELECT current_schema()')({});
  const encoding = await sql.value<object, string>('SHOW server_encoding')({});
  if (version < OLDEST_SERVER) {
    const found = `${Math.floor(version / 10_000)}.${version % 10_000}`;
    throw new OperatorProblem(`${place} is PostgreSQL ${found}; pushctl needs 14 or newer.`, 1, {
      advice: 'Upgrade the server.',
    });
  }
  if (schema === null) {
    throw new OperatorProblem(`${place} has no schema that its user may use.`, 1, {
      advice: 'Create a schema in its search_path, and GRANT CREATE, USAGE ON it.',
    });
  }
  if (encoding !== 'UTF8') {
    throw new OperatorProblem(`${place} stores texts as ${encoding}.`, 1, {
      advice: "Create the database with ENCODING 'UTF8'.",
    });
  }
}

/** Databases that speak PostgreSQL's protocol and lack what a node needs, by the answer of `version()`. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/CockroachDB/, 'CockroachDB'],
  [/-YB-|YugabyteDB/, 'YugabyteDB'],
];

/** Tables that Citus has distributed to other servers. Its local tables have another method. */
const DISTRIBUTED = `
  SELECT relname FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
  WHERE relnamespace = current_schema()::text::regnamespace AND partmethod IN ('h', 'a', 'r') ORDER BY relname LIMIT 1`;

/** Throws an `OperatorProblem` if the database is another one, or spread over several servers. */
async function refuseOthers({ sql }: Connection, place: string): Promise<void> {
  const version = (await sql.value<object, string>('SELECT version()')({})) ?? '';
  const [, name] = OTHERS.find(([pattern]) => pattern.test(version)) ?? [];
  if (name !== undefined) throw unable(place, `is ${name}, which lacks parts of PostgreSQL that pushctl needs`);
  const hasCitus = await sql.value<object, boolean>("SELECT to_regclass('pg_dist_partition') IS NOT NULL")({});
  const table = hasCitus === true ? await sql.value<object, string>(DISTRIBUTED)({}) : undefined;
  if (table !== undefined) throw unable(place, `has the table ${table} distributed by Citus, which pushctl cannot use`);
}

/**
 * Tries what nodes need of the database, and leaves nothing. Throws an `OperatorProblem` if it lacks something, since
 * nodes would then change the same rows at once, or count wrongly.
 */
export async function tryAbilities(connections: Connections): Promise<void> {
  const { place } = connections;
  if (!(await hasSharedLocks(connections))) {
    throw unable(place, 'has no advisory locks that connections share, which pushctl needs');
  }
  const name = `pushctl_try_${randomBytes(8).toString('hex')}`;
  if (!(await isAble(connections, `LISTEN ${name}; UNLISTEN ${name}`))) {
    throw unable(place, 'does not know LISTEN, which pushctl needs');
  }
  if (!(await isAble(connections, withTransitionTable(name)))) {
    throw unable(place, 'has no triggers with transition tables, which pushctl needs');
  }
}

/** Takes a lock twice. */
function hasSharedLocks(connections: Connections): Promise<boolean> {
  const lock = "pg_try_advisory_xact_lock(hashtext('pushctl'), pg_backend_pid())";
  return connections.transaction('write', async ({ sql }) => {
    const pid = await sql.value<object, number>(`SELECT pg_backend_pid() FROM (SELECT ${lock}) AS held`)({});
    const again = lock.replace('pg_backend_pid()', String(pid));
    return connections.lend(async (other) => (await other.sql.value<object, boolean>(`SELECT ${again}`)({})) === false);
  });
}

class Undone extends Error {}

/** Executes statements in a transaction that is rolled back. */
async function isAble({ transaction }: Connections, statements: string): Promise<boolean> {
  const tried = transaction('write', async ({ execute }) => {
    await execute(statements);
    throw new Undone();
  });
  // A missing right or a lost connection says nothing about the database.
  return tried.catch((error) => error instanceof Undone || unavailableReason(error) !== undefined);
}

function withTransitionTable(name: string): string {
  return `
    CREATE TABLE ${name} (id INT);
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM come) <> 1 THEN RAISE 'no transition table'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${name} AFTER INSERT ON ${name} REFERENCING NEW TABLE AS come
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}();
    INSERT INTO ${name} VALUES (1)`;
}

function unable(place: string, what: string): OperatorProblem {
  return new OperatorProblem(`${place} ${what}.`, 1, {
    advice: 'Name a database of PostgreSQL itself in [store] url.',
  });
}
