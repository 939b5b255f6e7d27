import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MARK_MOVED, UNMARK_MOVED } from '../../../src/store/moved.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { ownStore } from '../../../src/store/sqlite/engine.ts';
import { databasePath } from '../../../src/store/sqlite/files/folder.ts';
import { sqlOver } from '../../../src/store/sqlite/sql.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { problemOf } from '../../support/problem.ts';
import { someSettings } from '../../support/store.ts';

const test = suite('moving: a store that was moved');
const settings = someSettings();
const MOVED_TO_DB = { place: 'db:5432/push', at: Date.UTC(2026, 10, 22) };
const TOLD = /was moved to db:5432\/push at 2026-11-22T00:00:00\.000\+00:00.*pushctl move --undo/;

test('A data folder whose database was moved is not opened, until the mark is taken away', async () => {
  const dataDir = temporaryFolder();
  await ownStore({ dataDir, settings }).close();
  change((sql) => sql.run<object>(MARK_MOVED)(MOVED_TO_DB));
  assert.match(problemOf(() => ownStore({ dataDir, settings })).message, TOLD);
  change((sql) => sql.run<object>(UNMARK_MOVED)({}));
  await ownStore({ dataDir, settings }).close();

  function change(work: (sql: ReturnType<typeof sqlOver>) => void): void {
    const db = openDatabase(databasePath(dataDir));
    work(sqlOver(db));
    db.close();
  }
});

test('A PostgreSQL database that was moved takes no command and no node', async () => {
  const url = await temporarySchema();
  const first = await openPostgres({ url, settings });
  await first.connections.lend(({ sql }) => sql.run<object>(MARK_MOVED)(MOVED_TO_DB));
  await first.close();
  for (const node of [undefined, 'a']) {
    const error = await openPostgres({ url, settings, ...(node && { node }) }).catch((thrown: Error) => thrown);
    assert.match((error as Error).message, TOLD);
  }
  const connections = connectionsTo({ url });
  assert.is(await connections.lend(({ sql }) => sql.value<object, number>('SELECT count(*) FROM node')({})), 0);
  await connections.close();
});

test.run();
