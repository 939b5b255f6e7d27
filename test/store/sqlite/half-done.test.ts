import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../src/process/clock.ts';
import type { CallName } from '../../../src/store/calls.ts';
import type { CallRequest } from '../../../src/store/reply.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { SQLITE } from '../../support/engines.ts';
import { OPERATOR } from '../../support/people.ts';
import { someSettings } from '../../support/store.ts';
import { aDevice, anEvent } from '../../support/workspace.ts';

test('a handler that throws midway leaves nothing behind, and the others of its group are done', async () => {
  const { store, rows, breakAt } = await aStore();
  breakAt('member');
  const replies = await store.run([
    byOperator('createChannel', { workspace: 'acme', slug: 'builds' }),
    byOperator('addMember', { workspace: 'acme', email: BOB, role: 'member' }),
    byOperator('createChannel', { workspace: 'acme', slug: 'deploys' }),
  ]);
  assertEach(replies, ({ kind }) => kind, ['answer', 'bug', 'answer']);
  assert.equal(rows('SELECT email FROM person'), [ADA], 'the person is inserted before the membership');
  assert.equal(rows('SELECT slug FROM channel ORDER BY slug'), ['alerts', 'builds', 'deploys']);
  assert.equal(rows('SELECT object FROM audit ORDER BY id'), ['builds', 'deploys']);
});

test('an event that is accepted while a handler awaits the database is in a transaction of its own', async () => {
  const { store, rows, breakAt } = await aStore();
  breakAt('member');
  const [broken, accepted] = await Promise.all([
    store.run([byOperator('addMember', { workspace: 'acme', email: BOB, role: 'member' })]),
    store.run([{ name: 'acceptEvent', args: anEvent(1) }]),
    store.run([{ name: 'registerDevice', args: { userId: 1, ...aDevice() } }]),
  ]);
  assert.is(broken[0]?.kind, 'bug');
  assert.is(accepted[0]?.kind, 'answer');
  assert.equal(rows('SELECT count(*) FROM event'), [1]);
  assert.equal(rows('SELECT count(*) FROM device'), [1]);
  assert.equal(rows('SELECT email FROM person'), [ADA]);
});

test.run();

/** With a workspace, its channel and its owner. */
async function aStore() {
  const store = await SQLITE.open(someSettings(), systemClock());
  const { db } = store.own;
  await store.run([
    { name: 'createWorkspace', args: { slug: 'acme' } },
    { name: 'createChannel', args: { workspace: 'acme', slug: 'alerts' } },
    { name: 'addMember', args: { workspace: 'acme', email: ADA, role: 'owner' } },
  ]);
  return {
    store,
    rows: (sql: string) => db.prepare(sql).pluck().all(),
    /** Each insert into this table throws from now on. */
    breakAt: (table: string) =>
      void db.exec(`CREATE TRIGGER break BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'a slip'); END`),
  };
}

function byOperator(name: CallName, args: unknown): CallRequest {
  return { name, args, actor: OPERATOR };
}
