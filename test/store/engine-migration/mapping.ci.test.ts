import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EngineName, readingFor, TABLES } from '../../../src/store/engine-migration/mapping.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { migrate as migratePostgres } from '../../../src/store/postgres/migrations.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { temporarySchema } from '../../support/postgres.ts';

/** What stays behind, and why. */
const NOT_MOVED: Readonly<Record<EngineName, Readonly<Record<string, string>>>> = {
  sqlite: {
    import_sample: 'sorts the lines of an import, for the sake of speed',
    moved: 'describes the store itself',
  },
  postgres: {
    pushctl_schema: 'describes the store itself',
    moved: 'describes the store itself',
    node: 'none serves a store that is moved',
    claim: 'nothing is out: what was is in the queue again',
    told_end: 'for nodes that have something out',
    room: 'to prove that the disk has some',
    news: 'for nodes, of which none is there',
    rolling_window: 'windows begin anew',
    queue_change: 'counted anew',
    queue_floor: 'looked for anew',
  },
};

interface Column {
  readonly table: string;
  readonly name: string;
}

test('Each table of SQLite with each of its columns is moved, or is known to stay behind', () => {
  const db = openDatabase(join(temporaryFolder(), 'pushctl.db'));
  migrate(db);
  const columns = db
    .prepare<[], Column>(
      `SELECT list.name AS "table", info.name FROM pragma_table_list AS list, pragma_table_xinfo(list.name) AS info
      WHERE list.schema = 'main' AND list.type = 'table' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND info.hidden = 0`,
    )
    .all();
  db.close();
  assert.equal(moved('sqlite'), listed(columns, 'sqlite'));
});

test('Each table of PostgreSQL with each of its columns is moved, or is known to stay behind', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  await migratePostgres(connections);
  const columns = await connections.lend(({ sql }) =>
    sql.all<object, Column>(`
      SELECT relname AS "table", attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema()::text::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
        AND attgenerated = ''`)({}),
  );
  await connections.close();
  assert.equal(moved('postgres'), listed(columns, 'postgres'));
});

test.run();

/** Where a table or column is new, and the mapping does not name it, these differ. */
function moved(engine: EngineName): readonly string[] {
  return TABLES.flatMap((table) => {
    const { columns = [] } = readingFor(engine, table) ?? {};
    return columns.map((name) => `${table[engine]}.${name}`);
  }).sort();
}

function listed(columns: readonly Column[], engine: EngineName): readonly string[] {
  return columns
    .filter(({ table }) => NOT_MOVED[engine][table] === undefined)
    .map(({ table, name }) => `${table}.${name}`)
    .sort();
}
