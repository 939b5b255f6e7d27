import pg from 'pg';
import { OperatorProblem } from '../../process/problem.ts';
import { MARK_MOVED, MOVED, type MovedRow, refuseMoved, UNMARK_MOVED } from '../moved.ts';
import { type Connection, type Connections, connectionsTo } from '../postgres/connections.ts';
import { ConnectionLost, openingProblem } from '../postgres/errors.ts';
import { migrate, readMigrations, schemaOf } from '../postgres/migrations.ts';
import { refuseServer } from '../postgres/opening.ts';
import { NOW_MS, storable } from '../postgres/sql.ts';
import { hasOwnBaseline } from '../schema/version.ts';
import { type Column, movedTables, quoted, type Source, type Tables, type Target } from './copying.ts';

/** A database in one transaction without other writers. */
interface LockedSource extends Source {
  /** After the commit no server serves it. */
  mark(moved: MovedRow): Promise<void>;
}

/** The connection ended during the commit, which may have happened. */
export class CommitUnknown extends OperatorProblem {}

/** A statement's limit, such as sorting all deliveries, instead of the database's. */
const ANSWER_MS = 3_600_000;
/** Longer than the other side's work between two statements. */
const IDLE_MS = 600_000;
const LOCK_MS = 15_000;

/** Commits mark and `work`. Throws `OperatorProblem` if the database is unusable. */
export function withSource<T>(url: string, work: (source: LockedSource) => Promise<T>): Promise<T> {
  return locked(url, async (connection, place) => {
    refuseMoved(place, await connection.sql.get<object, MovedRow>(MOVED)({}));
    return work(await sourceOver(connection, place));
  });
}

/** Commits `work`. Throws `OperatorProblem` if the database is unusable or not empty. */
export function withTarget<T>(url: string, work: (target: Target) => Promise<T>): Promise<T> {
  return locked(
    url,
    async (connection, place) => {
      const tables = await tablesOf(connection.sql);
      await refuseFilled(connection, place, movedTables(tables));
      await withoutTriggers(connection, 'DISABLE', movedTables(tables));
      return work(targetOver(connection, place, tables));
    },
    { canBeNew: true },
  );
}

/** Makes a moved database usable again. Returns where it was moved; null: it was not. */
export function unmarkDatabase(url: string): Promise<MovedRow | null> {
  return locked(url, async (connection) => {
    const moved = await connection.sql.get<object, MovedRow>(MOVED)({});
    await connection.sql.run<object>(UNMARK_MOVED)({});
    await onEachTable(connection, (table) => `DROP TRIGGER IF EXISTS store_was_moved ON ${table}`);
    return moved ?? null;
  });
}

async function locked<T>(
  url: string,
  work: (connection: Connection, place: string) => Promise<T>,
  { canBeNew } = { canBeNew: false },
): Promise<T> {
  const connections = connectionsTo({ url, most: 1, idleMs: IDLE_MS, answerMs: ANSWER_MS });
  const { place } = connections;
  let isDone = false;
  try {
    await prepare(connections, canBeNew);
    return await connections.transaction(
      'unlimited write',
      async (connection) => {
        await lockAll(connection);
        await refuseNodes(connection, place);
        const done = await work(connection, place);
        isDone = true;
        return done;
      },
      { first: `SET LOCAL lock_timeout = ${LOCK_MS}` },
    );
  } catch (error) {
    if (isDone && error instanceof ConnectionLost) {
      throw new CommitUnknown(`the connection to ${place} was lost during the commit (${error.message})`);
    }
    throw isLocked(error) ? inUse(place, 'by others') : openingProblem(place, error);
  } finally {
    await connections.close();
  }
}

async function prepare(connections: Connections, canBeNew: boolean): Promise<void> {
  const { place } = connections;
  const found = await connections.lend(async (connection) => {
    await refuseServer(connection, place);
    return schemaOf(connection, place);
  });
  if (found.version === 0 && !canBeNew) throw new OperatorProblem(`${place} has no data of pushctl.`);
  // Other baselines' schemas stay: their columns decide about the move.
  if (!canBeNew && !hasOwnBaseline(found, readMigrations())) return;
  const { version } = await migrate(connections);
  if (version === readMigrations().length) return;
  throw new OperatorProblem(`${place} has schema ${version}, and this pushctl does not know all its tables.`, 1, {
    advice: 'Move it with the newer pushctl that created it.',
  });
}

const OWN_TABLES = "relnamespace = current_schema()::text::regnamespace AND relkind = 'r'";

/** Blocks writers and new nodes. Two moves would duplicate the store. */
async function lockAll(connection: Connection): Promise<void> {
  await onEachTable(connection, (table) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
}

/** Runs a statement per table in a fixed order, so that two moves wait for each other. */
async function onEachTable({ sql, execute }: Connection, statement: (table: string) => string): Promise<void> {
  const tables = await sql.values<object, string>(
    `SELECT quote_ident(relname) FROM pg_class WHERE ${OWN_TABLES} AND relname <> 'moved' ORDER BY relname`,
  )({});
  await execute(tables.map(statement).join('; '));
}

/** `lock_not_available`, `deadlock_detected`: another move or server. */
function isLocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '40P01');
}

async function refuseNodes({ sql }: Connection, place: string): Promise<void> {
  const names = await sql.values<object, string>(`SELECT name FROM node WHERE lease_end > ${NOW_MS} ORDER BY name`)({});
  if (names.length > 0) throw inUse(place, `by the server on ${names.join(', ')}`);
}

function inUse(place: string, by: string): OperatorProblem {
  return new OperatorProblem(`${place} is in use ${by}.`, 1, {
    advice: 'Stop every server on it first. A killed server counts as stopped after 10 seconds.',
  });
}

/** Rows of a new schema. */
const OF_BASELINE: Readonly<Record<string, string>> = { plan: "name = 'unlimited' AND monthly_events IS NULL" };

async function refuseFilled({ sql }: Connection, place: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const found = await sql.value<object, number>(
      `SELECT 1 FROM ${quoted(table)} WHERE NOT (${OF_BASELINE[table] ?? 'false'}) LIMIT 1`,
    )({});
    if (found === undefined) continue;
    throw new OperatorProblem(`${place} is not empty: its table ${table} has rows.`, 1, {
      advice: 'Use an empty database.',
    });
  }
}

/** Triggers keep counts and numbers, which come with the rows. */
async function withoutTriggers(
  { execute }: Connection,
  change: 'DISABLE' | 'ENABLE',
  tables: readonly string[],
): Promise<void> {
  await execute(tables.map((table) => `ALTER TABLE ${quoted(table)} ${change} TRIGGER USER`).join('; '));
}

async function sourceOver(connection: Connection, place: string): Promise<LockedSource> {
  const { sql } = connection;
  const tables = await tablesOf(sql);
  return {
    engine: 'postgres',
    place,
    tables,
    sql,
    async lastIds() {
      const moved = movedTables(tables);
      const rows = await identities(sql);
      return new Map(rows.filter(({ table }) => moved.includes(table)).map(({ table, last }) => [table, last ?? 0]));
    },
    async mark(row) {
      await sql.run<object>(MARK_MOVED)(row);
      await onEachTable(connection, (table) => {
        return `CREATE TRIGGER store_was_moved BEFORE INSERT OR UPDATE OR DELETE ON ${table} EXECUTE FUNCTION refuse_moved()`;
      });
    },
  };
}

function targetOver(connection: Connection, place: string, tables: Tables): Target {
  const { sql, ask } = connection;
  return {
    engine: 'postgres',
    place,
    tables,
    sql,
    orderOf: () => '',

    adder(table, columns) {
      const names = columns.map(quoted).join(', ');
      const typed = (tables.get(table) ?? []).map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
      const text = `INSERT INTO ${quoted(table)} (${names}) SELECT ${names} FROM json_to_recordset($1) AS come(${typed})`;
      return async (rows) => {
        const values = rows.map((row) => Object.fromEntries(columns.map((name) => [name, encodeValue(row[name])])));
        await ask({ text, values: [JSON.stringify(values)] });
      };
    },

    async goOnBehind(lastIds) {
      const set = sql.value<object, number>('SELECT setval(CAST(:sequence AS regclass), :last)');
      for (const { table, sequence } of await identities(sql)) {
        const last = lastIds.get(table) ?? 0;
        if (last > 0) await set({ sequence, last });
      }
    },

    execute: (text) => connection.execute(text),

    async finish() {
      await withoutTriggers(connection, 'ENABLE', movedTables(tables));
      await connection.execute('SELECT count_queue()');
      // Otherwise first plans assume empty tables.
      await connection.execute(`ANALYZE ${movedTables(tables).map(quoted).join(', ')}`);
    },
  };
}

function encodeValue(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : storable(value);
}

async function tablesOf(sql: Connection['sql']): Promise<Tables> {
  const rows = await sql.all<object, Column & { table: string }>(`
    SELECT relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type,
      attnotnull AND NOT atthasdef AND attidentity = '' AS "isRequired"
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE ${OWN_TABLES} AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY pg_class.oid, attnum`)({});
  return Map.groupBy(rows, ({ table }) => table);
}

/** Tables whose ids the database gives, with the last; null: none yet. */
async function identities(
  sql: Connection['sql'],
): Promise<readonly { readonly table: string; readonly sequence: string; readonly last: number | null }[]> {
  return sql.all<object, { table: string; sequence: string; last: number | null }>(`
    SELECT relname AS table, pg_get_serial_sequence(quote_ident(relname), attname) AS sequence,
      pg_sequence_last_value(CAST(pg_get_serial_sequence(quote_ident(relname), attname) AS regclass)) AS last
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE ${OWN_TABLES} AND attidentity <> ''`)({});
}
