import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, type World } from '../../../support/world.ts';

const test = conformance('read marks');
const onSqlite = suite('read marks: what SQLite keeps');

test('what one has read is read, up to there and in that workspace alone', async ({ engine }) => {
  const world = await aWorld({ engine });
  const { accept } = await world.addWorkspace('umbrella', { channels: ['alerts'], owner: ADA });
  await world.addDevice();
  granted(await world.calls.addDevice({ workspace: 'umbrella', email: ADA, ...aDevice() }));
  await world.post({ title: 'first' });
  const second = await world.post({ title: 'second' });
  await world.post({ title: 'third' });
  await accept({ title: 'elsewhere' });
  await read(world, second);
  const { events, unread } = await inbox(world);
  assert.equal(
    events.map(({ title, unread }) => [title, unread]),
    [
      ['elsewhere', true],
      ['third', true],
      ['second', false],
      ['first', false],
    ],
  );
  const both = [
    { workspace: 'acme', events: 1 },
    { workspace: 'umbrella', events: 1 },
  ];
  assert.equal(unread.toSorted(byName), both);
  const ofOne = granted(await world.calls.listInbox({ userId: await idOf(world), limit: 5, workspace: 'umbrella' }));
  assert.equal(
    ofOne.events.map(({ title }) => title),
    ['elsewhere'],
  );
  assert.equal(ofOne.unread.toSorted(byName), both);
});

test('what was read stays read, also where an older event is named later', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.addDevice();
  const first = await world.post();
  await read(world, await world.post());
  await read(world, first);
  assert.equal((await inbox(world)).unread, []);
});

test('each person has marks of their own', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.join(BOB);
  await world.addDevice();
  await world.addDevice({ token: tokenOf(1) }, BOB);
  await read(world, await world.post());
  assert.equal(
    [(await inbox(world)).unread, (await inbox(world, BOB)).unread],
    [[], [{ workspace: 'acme', events: 1 }]],
  );
});

test('who joins has read what was posted before', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.post();
  await world.join(BOB);
  await world.addDevice({}, BOB);
  assert.equal((await inbox(world, BOB)).unread, []);
  await world.post();
  assert.equal((await inbox(world, BOB)).unread, [{ workspace: 'acme', events: 1 }]);
});

test('only channels that one listens on count, whatever the list is filtered by', async ({ engine }) => {
  const world = await aWorld({ engine, channels: ['alerts', 'noise'] });
  await world.addDevice();
  await world.post();
  await world.post({ channel: 'noise' });
  const { events, unread } = granted(
    await world.calls.listInbox({ userId: await idOf(world), limit: 5, level: 'error' }),
  );
  assert.equal([events, unread], [[], [{ workspace: 'acme', events: 1 }]]);
});

test('a workspace that one does not belong to, and what is no event, are refused', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella');
  const userId = await idOf(world);
  const upTo = await world.post();
  const mark = async (workspace: string, id: string) =>
    refused(await world.calls.markInboxRead({ userId, workspace, upTo: id }));
  assert.is((await mark('umbrella', upTo)).refused, 'not_found');
  assert.is((await mark('acme', 'evt_none')).field, 'up_to');
});

onSqlite('the mark stands for its place in time where its event has been deleted', async () => {
  const world = await aWorld();
  await world.addDevice();
  await world.post({ title: 'kept' });
  const gone = await world.post({ title: 'gone' });
  await world.post({ title: 'newer' });
  world.db.exec(`DELETE FROM event WHERE title = 'gone'`);
  await read(world, gone);
  assert.equal(
    (await inbox(world)).events.map(({ title, unread }) => [title, unread]),
    [
      ['newer', true],
      ['kept', false],
    ],
  );
});

onSqlite('nobody counts beyond a thousand', async () => {
  const world = await aWorld({ channels: ['alerts', 'builds'] });
  await world.addDevice({ subscribe: ['alerts', 'builds'] });
  await world.post();
  await world.post({ channel: 'builds' });
  const copy = `INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at, expires_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    SELECT unhex(printf('01a1fd70f23b70008%03x%012x', event.id, i)), workspace_id, channel_id, title, level, urgency, 0, 0, received_at, expires_at FROM event, n`;
  world.db.prepare(copy).run();
  assert.equal((await inbox(world)).unread, [{ workspace: 'acme', events: 1_000 }]);
});

test.run();
onSqlite.run();

async function inbox(world: World, email = ADA) {
  return granted(await world.calls.listInbox({ userId: await idOf(world, email), limit: 20 }));
}

async function read(world: World, upTo: string): Promise<void> {
  granted(await world.calls.markInboxRead({ userId: await idOf(world), workspace: 'acme', upTo }));
}

function byName(a: { workspace: string }, b: { workspace: string }): number {
  return a.workspace.localeCompare(b.workspace);
}
