import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest, Reply } from '../../../src/store/reply.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createCommitter } from '../../../src/store/sqlite/group-commit.ts';
import type { Db, TransactionHooks } from '../../../src/store/sqlite/transaction.ts';
import { assertEach } from '../../support/assert-each.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { commitsInWal } from '../../support/wal.ts';

/**
 * A committer over one table of notes. Its calls borrow the names of real ones. `createChannel` writes, `listChannels`
 * reads, `listPlans` meets a damaged page, and `renameWorkspace` writes twice, with turns of the event loop between.
 */
function notes() {
  return notesOver(openDatabase(join(temporaryFolder(), 'notes.db')));
}

function notesOver(db: Db) {
  db.exec('CREATE TABLE note (text TEXT NOT NULL) STRICT');
  const log: string[] = [];
  const committer = createCommitter(db, (hooks) => ({
    createChannel: ({ slug }) => write(db, hooks, log, slug),
    renameWorkspace: ({ slug }) => writeTwice(db, hooks, log, slug),
    listPlans() {
      throw new Database.SqliteError('malformed', 'SQLITE_CORRUPT');
    },
    listChannels: () =>
      texts(db).map((slug) => ({
        slug,
        name: slug,
        status: 'active',
        device_count: 0,
        insist: null,
        quiet: null,
        rings: null,
      })),
  }));
  return { db, log, ...committer };
}

const INSERT = 'INSERT INTO note (text) VALUES (?)';

function write(db: Db, hooks: TransactionHooks, log: string[], slug: string) {
  db.prepare(INSERT).run(slug);
  hooks.onRollback(() => log.push(`undo ${slug}`));
  if (slug.startsWith('bug')) throw new Error('a slip');
  return { slug, name: slug, status: 'active', device_count: 0, insist: null, quiet: null, rings: null } as const;
}

async function writeTwice(db: Db, hooks: TransactionHooks, log: string[], slug: string) {
  write(db, hooks, log, `${slug} 1`);
  await nextTurn();
  await nextTurn();
  write(db, hooks, log, slug.startsWith('late bug') ? 'bug' : `${slug} 2`);
  return { slug, name: slug, status: 'active', plan: 'unlimited', created_at: '' } as const;
}

function texts(db: Db): string[] {
  return db.prepare('SELECT text FROM note ORDER BY rowid').pluck().all() as string[];
}

function writing(slug: string): CallRequest {
  return { name: 'createChannel', args: { workspace: 'acme', slug, wallMs: 0 } };
}
function writingTwice(slug: string): CallRequest {
  return { name: 'renameWorkspace', args: { slug, name: slug } };
}
const reading: CallRequest = { name: 'listChannels', args: { workspace: 'acme' } };
const readingDamage: CallRequest = { name: 'listPlans', args: {} };

/** No page more than the database has now, and a note that needs some. */
function fill(db: Db): void {
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
}
const LONG = 'long '.repeat(10_000);

test('the calls of a group share one commit', async () => {
  const { db, run } = notes();
  const before = commitsInWal(`${db.name}-wal`);
  await run([writing('a'), writing('b'), reading, writing('c')]);
  assert.is(commitsInWal(`${db.name}-wal`), before + 1);
  assert.equal(texts(db), ['a', 'b', 'c']);
});

test('a group without errors opens no savepoint, because that would cost a large transaction most of its time', async () => {
  const statements: string[] = [];
  const db = new Database(join(temporaryFolder(), 'notes.db'), { verbose: (sql) => statements.push(String(sql)) });
  const { run } = notesOver(db);
  statements.length = 0;
  await run([writing('a'), writing('b')]);
  assert.equal(statements, ['BEGIN IMMEDIATE', INSERT.replace('?', `'a'`), INSERT.replace('?', `'b'`), 'COMMIT']);
});

test('a group that only reads commits nothing', async () => {
  const { db, run } = notes();
  const before = commitsInWal(`${db.name}-wal`);
  assert.equal(await run([reading, reading]), [
    { kind: 'answer', answer: [] },
    { kind: 'answer', answer: [] },
  ]);
  assert.is(commitsInWal(`${db.name}-wal`), before);
});

test('a call that throws is undone alone, on the disk and in memory', async () => {
  const { db, log, run } = notes();
  const kinds = (await run([writing('a'), writing('bug'), writing('c')])).map(({ kind }) => kind);
  assert.equal(kinds, ['answer', 'bug', 'answer']);
  assert.equal(texts(db), ['a', 'c']);
  assert.equal(log, ['undo bug', 'undo a', 'undo bug'], 'all were undone, and began again');
});

test('groups that are sent at once are carried out one after the other, however long a call awaits', async () => {
  const { db, run } = notes();
  const seen = await Promise.all([
    run([writingTwice('a'), writing('b')]),
    run([writing('c'), reading]),
    run([writingTwice('d')]),
    run([reading]),
  ]);
  assert.equal(texts(db), ['a 1', 'a 2', 'b', 'c', 'd 1', 'd 2']);
  const read = (replies: readonly Reply[]) => (replies.at(-1) as { answer: { slug: string }[] }).answer.length;
  assertEach([seen[1], seen[3]], (replies) => read(replies ?? []), [4, 6]);
});

test('the calls of a group are carried out one after the other, too', async () => {
  const { db, run } = notes();
  await run([writingTwice('a'), writingTwice('b'), writing('c')]);
  assert.equal(texts(db), ['a 1', 'a 2', 'b 1', 'b 2', 'c']);
});

test('other work with the connection waits for the groups before it', async () => {
  const { db, run, betweenGroups } = notes();
  void run([writingTwice('a')]);
  const [inTransaction, seen] = await betweenGroups(() => [db.inTransaction, texts(db)]);
  assert.is(inTransaction, false);
  assert.equal(seen, ['a 1', 'a 2']);
});

test('a call that throws after it has awaited is undone alone, on the disk and in memory', async () => {
  const { db, log, run } = notes();
  const replies = await run([writing('a'), writingTwice('late bug'), writing('c')]);
  assertEach(replies, ({ kind }) => kind, ['answer', 'bug', 'answer']);
  assert.equal(texts(db), ['a', 'c']);
  assert.equal(log.slice(-2), ['undo bug', 'undo late bug 1']);
});

test('a full database refuses every write of the group, answers its reads, and recovers by itself', async () => {
  const { db, log, run } = notes();
  await run([writing('old')]);
  log.length = 0;
  fill(db);
  const replies = await run([writing('a'), reading, writing(LONG), writing('c')]);
  assertEach(replies, ({ kind }) => kind, ['unavailable', 'answer', 'unavailable', 'unavailable']);
  assert.equal(replies[0], { kind: 'unavailable', reason: 'database or disk is full (SQLITE_FULL)' });
  assert.is((replies[1] as { answer: unknown[] }).answer.length, 1);
  assert.equal(texts(db), ['old']);
  assert.equal(log, ['undo a']);
  db.pragma('max_page_count = 1000000');
  assert.is((await run([writing(LONG)]))[0]?.kind, 'answer');
  assert.is(texts(db).length, 2);
});

test('a damaged page fails the reads that need it, and no other read of their group', async () => {
  const { run } = notes();
  await run([writing('old')]);
  const kindsOf = async (calls: readonly CallRequest[]) => (await run(calls)).map(({ kind }) => kind);
  assert.equal(await kindsOf([reading, readingDamage, reading]), ['answer', 'unavailable', 'answer']);
  assert.equal(await kindsOf([writing('a'), readingDamage, reading]), ['unavailable', 'unavailable', 'answer']);
});

test('changes in memory are undone in the opposite order when the group is lost', async () => {
  const { db, log, run } = notes();
  fill(db);
  await run([writing('a'), writing('b'), writing(LONG)]);
  assert.equal(log, ['undo b', 'undo a']);
});

test('a read-only database answers reads and refuses writes', async () => {
  const { db, run } = notes();
  db.pragma('query_only = ON');
  const [read, write] = await run([reading, writing('a')]);
  assert.is(read?.kind, 'answer');
  assert.match((write as { reason: string }).reason, 'SQLITE_READONLY');
});

test('a database held by another connection refuses writes until it is let go', async () => {
  const { db, run } = notes();
  const shell = new Database(db.name);
  shell.exec('BEGIN IMMEDIATE');
  const [write, read] = await run([writing('a'), reading]);
  assert.match((write as { reason: string }).reason, 'SQLITE_BUSY');
  assert.is(read?.kind, 'answer');
  shell.exec('ROLLBACK');
  shell.close();
  assert.is((await run([writing('a')]))[0]?.kind, 'answer');
});

test.run();
