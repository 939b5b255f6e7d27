import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../../src/store/calls.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const { test, it, onSqlite, run } = conformance('read marks', aWorld);

it('a read mark covers all events up to it, in its workspace alone', async (world) => {
  const { accept } = await world.addWorkspace('umbrella', { channels: ['alerts'], owner: ADA });
  await world.addDevice();
  granted(await world.calls.addDevice({ workspace: 'umbrella', email: ADA, ...aDevice() }));
  await world.post({ title: 'first' });
  const second = await world.post({ title: 'second' });
  await world.post({ title: 'third' });
  await accept({ title: 'elsewhere' });
  await read(world, second);
  const { events, unread } = await inbox(world);
  assertEach(events, ({ title, unread }) => [title, unread], [
    ['elsewhere', true],
    ['third', true],
    ['second', false],
    ['first', false],
  ]);
  const both = [ofAlerts(1), ofAlerts(1, 'umbrella')];
  assert.equal(unread.toSorted(byName), both);
  const ofOne = granted(await world.calls.listInbox({ userId: await idOf(world), limit: 5, workspace: 'umbrella' }));
  assertEach(ofOne.events, ({ title }) => title, ['elsewhere']);
  assert.equal(ofOne.unread.toSorted(byName), both);
});

it('hundreds of single marks go with the mark behind them, however they are read', async (world) => {
  await world.addDevice();
  const first = await world.post();
  const posted: string[] = [];
  for (let n = 0; n < 250; n += 1) posted.push(await world.post());
  const userId = await idOf(world);
  const readApart = async () => {
    for (let at = 0; at < 250; at += 50)
      await world.calls.markEventsRead({ userId, events: posted.slice(at, at + 50).toReversed() });
  };
  await readApart();
  await world.calls.markEventsUnread({ userId, events: posted.slice(100, 160) });
  assert.equal((await inbox(world)).unread, [ofAlerts(61)]);
  await world.calls.markEventsRead({ userId, events: [first] });
  assert.equal((await inbox(world)).unread, [ofAlerts(60)]);
  await read(world, posted.at(-1) ?? '');
  assert.equal((await inbox(world)).unread, []);
  assert.equal([await world.countRows('read_apart'), await world.countRows('read_mark')], [0, 0]);
});

it('a read event stays read, also if an older event is named later', async (world) => {
  await world.addDevice();
  const first = await world.post();
  await read(world, await world.post());
  await read(world, first);
  assert.equal((await inbox(world)).unread, []);
});

it('each person has marks of their own', async (world) => {
  await world.join(BOB);
  await world.addDevice();
  await world.addDevice({ token: tokenOf(1) }, BOB);
  await read(world, await world.post());
  assert.equal([(await inbox(world)).unread, (await inbox(world, BOB)).unread], [[], [ofAlerts(1)]]);
});

it('a new member has read all earlier events', async (world) => {
  await world.post();
  await world.join(BOB);
  await world.addDevice({}, BOB);
  assert.equal((await inbox(world, BOB)).unread, []);
  await world.post();
  assert.equal((await inbox(world, BOB)).unread, [ofAlerts(1)]);
});

test('only subscribed channels count, with any filter of the list', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'noise'] });
  await world.addDevice();
  await world.post();
  await world.post({ channel: 'noise' });
  const { events, unread } = granted(
    await world.calls.listInbox({ userId: await idOf(world), limit: 5, level: 'error' }),
  );
  assert.equal([events, unread], [[], [ofAlerts(1)]]);
});

it('an event is read alone, without older or newer events', async (world) => {
  await world.addDevice();
  const [, b, , d] = await posted(world, ['a', 'b', 'c', 'd']);
  await readAlone(world, d, b);
  assert.equal(await unreadTitles(world), ['c', 'a']);
  assert.equal((await inbox(world)).unread, [ofAlerts(2)]);
});

it('a mark grows as far as all below it is read, and nothing else is kept then', async (world) => {
  await world.addDevice();
  const ids = await posted(world, ['a', 'b', 'c', 'd']);
  for (const nth of [3, 1, 2]) await readAlone(world, ids[nth]);
  assert.is(await world.countRows('read_apart'), 3);
  await readAlone(world, ids[0]);
  assert.equal([await world.countRows('read_mark'), await world.countRows('read_apart')], [1, 0]);
  assert.equal([await unreadTitles(world), (await inbox(world)).unread], [[], []]);
});

it('one old event that stays unread costs one row, however many behind it are read one by one', async (world) => {
  await world.addDevice();
  const [, ...others] = await posted(
    world,
    Array.from({ length: 301 }, (_, nth) => `${nth}`),
  );
  for (const id of others) await readAlone(world, id);
  assert.ok((await world.countRows('read_apart')) < 70, String(await world.countRows('read_apart')));
  assert.equal([await unreadTitles(world), (await inbox(world)).unread], [['0'], [ofAlerts(1)]]);
});

it('an event marked as unread is so on all devices, and read with all others again', async (world) => {
  await world.addDevice();
  const ids = await posted(world, ['a', 'b', 'c']);
  await read(world, String(ids[1]));
  await unreadAlone(world, ids[0], ids[1], ids[2]);
  assert.equal(await unreadTitles(world), ['c', 'b', 'a']);
  await readAlone(world, ids[1]);
  assert.equal([await unreadTitles(world), (await inbox(world)).unread], [['c', 'a'], [ofAlerts(2)]]);
  await read(world, String(ids[2]));
  assert.equal([await unreadTitles(world), (await inbox(world)).unread], [[], []]);
  assert.is(await world.countRows('read_apart'), 0);
});

test('all of a channel, of a level, or of both are read up to an event, and nothing else is', async (engine) => {
  for (const [part, left] of [
    [{ channel: 'alerts' }, ['late', 'builds error', 'builds info']],
    [{ level: 'error' }, ['late', 'builds info', 'alerts info']],
    [{ channel: 'builds', level: 'info' }, ['late', 'builds error', 'alerts error', 'alerts info']],
    [{ channel: 'nowhere' }, ['late', 'builds error', 'builds info', 'alerts error', 'alerts info']],
  ] as const) {
    const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
    await world.addDevice({ subscribe: ['alerts', 'builds'] });
    let upTo = '';
    for (const channel of ['alerts', 'builds'])
      for (const level of ['info', 'error'] as const)
        upTo = await world.post({ title: `${channel} ${level}`, channel, level });
    await world.post({ title: 'late', level: 'error' });
    granted(await world.calls.markInboxRead({ userId: await idOf(world), workspace: 'acme', upTo, ...part }));
    assert.equal(await unreadTitles(world), left, JSON.stringify(part));
    const { unread } = await inbox(world);
    assertEach(unread, ({ events }) => events, [left.length]);
  }
});

test('only unread events are listed, in both directions, in pages and with other filters', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  await world.addDevice({ subscribe: ['alerts', 'builds'] });
  const ids = await posted(world, ['a', 'b', 'c', 'd', 'e', 'f']);
  await world.post({ title: 'g', channel: 'builds', level: 'error' });
  await read(world, String(ids[3]));
  await unreadAlone(world, ids[0], ids[2]);
  await readAlone(world, ids[5]);
  const only = { unread: true } as const;
  assert.equal(titles((await inbox(world, ADA, only)).events), ['g', 'e', 'c', 'a']);
  const first = await inbox(world, ADA, { ...only, limit: 3 });
  assert.equal(titles(first.events), ['g', 'e', 'c']);
  assert.equal(titles((await inbox(world, ADA, { ...only, limit: 3, before: String(first.next) })).events), ['a']);
  assert.equal(titles((await inbox(world, ADA, { ...only, after: String(ids[0]) })).events), ['c', 'e', 'g']);
  assert.equal(titles((await inbox(world, ADA, { ...only, level: 'error' })).events), ['g']);
  assert.equal(titles((await inbox(world, ADA, { ...only, channel: 'alerts', q: 'c' })).events), ['c']);
  assert.ok((await inbox(world, ADA, only)).events.every(({ unread }) => unread));
});

it('events that are gone or not of one’s workspaces are passed over', async (world) => {
  await world.addWorkspace('umbrella');
  const bob = await world.join(BOB, { workspace: 'umbrella' });
  await world.addDevice();
  const id = await world.post();
  await world.calls.markEventsRead({ userId: bob, events: [id, `evt_${'0'.repeat(26)}`, 'evt_none'] });
  granted(await world.calls.markEventsUnread({ userId: bob, events: [id] }));
  assert.equal([await world.countRows('read_mark'), await world.countRows('read_apart')], [0, 0]);
});

test('read marks go with the event, with the channel, and with the member', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  await world.join(BOB);
  for (const channel of ['alerts', 'builds']) {
    await world.post({ channel });
    const id = await world.post({ channel, level: 'error' });
    const later = await world.post({ channel });
    for (const email of [ADA, BOB]) {
      await world.calls.markEventsRead({ userId: await idOf(world, email), events: [id, later] });
    }
  }
  assert.equal([await world.countRows('read_mark'), await world.countRows('read_apart')], [4, 4]);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.equal([await world.countRows('read_mark'), await world.countRows('read_apart')], [2, 2]);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  await prune(world);
  assert.equal([await world.countRows('read_mark'), await world.countRows('read_apart')], [1, 1]);
  await prune(world, NOW_MS + 91 * 24 * HOUR_MS);
  assert.is(await world.countRows('read_apart'), 0);
});

test('unread events are counted by channel, up to a hundred each', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds', 'quiet'] });
  await world.addDevice({ subscribe: ['alerts', 'builds', 'quiet'] });
  for (let nth = 0; nth < 130; nth += 1) await world.post();
  const first = await world.post({ channel: 'builds' });
  await world.post({ channel: 'builds' });
  await readAlone(world, first);
  const { unread } = await inbox(world);
  assert.equal(unread, [
    {
      workspace: 'acme',
      events: 131,
      channels: [
        { channel: 'alerts', events: 100 },
        { channel: 'builds', events: 1 },
      ],
    },
  ]);
});

it('a workspace that one does not belong to, and what is no event, are refused', async (world) => {
  await world.addWorkspace('umbrella');
  const userId = await idOf(world);
  const upTo = await world.post();
  const mark = async (workspace: string, id: string) =>
    refused(await world.calls.markInboxRead({ userId, workspace, upTo: id }));
  assert.is((await mark('umbrella', upTo)).refused, 'not_found');
  assert.is((await mark('acme', 'evt_none')).detail?.field, 'up_to');
});

onSqlite('the mark keeps its place in time if its event has been deleted', async () => {
  const world = await aWorld();
  await world.addDevice();
  await world.post({ title: 'kept' });
  const gone = await world.post({ title: 'gone' });
  await world.post({ title: 'newer' });
  world.db.exec(`DELETE FROM event WHERE title = 'gone'`);
  await read(world, gone);
  assertEach((await inbox(world)).events, ({ title, unread }) => [title, unread], [
    ['newer', true],
    ['kept', false],
  ]);
});

onSqlite('unread events are counted up to a thousand', async () => {
  const world = await aWorld({ channels: ['alerts', 'builds'] });
  await world.addDevice({ subscribe: ['alerts', 'builds'] });
  await world.post();
  await world.post({ channel: 'builds' });
  const copy = `INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at, expires_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    SELECT unhex(printf('01a1fd70f23b70008%03x%012x', event.id, i)), workspace_id, channel_id, title, level, urgency, 0, 0, received_at, expires_at FROM event, n`;
  world.db.prepare(copy).run();
  assert.equal((await inbox(world)).unread, [
    {
      workspace: 'acme',
      events: 1_000,
      channels: [
        { channel: 'alerts', events: 100 },
        { channel: 'builds', events: 100 },
      ],
    },
  ]);
});

run();

async function prune(world: World, wallMs = NOW_MS): Promise<void> {
  while (!(await world.calls.pruneStep({ wallMs, passedMs: 86_400_000 })).done);
}

async function inbox(world: World, email = ADA, asked: Partial<ArgsOf<'listInbox'>> = {}) {
  return granted(await world.calls.listInbox({ userId: await idOf(world, email), limit: 20, ...asked }));
}

function titles(events: readonly { readonly title: string }[]): readonly string[] {
  return events.map(({ title }) => title);
}

/** Returns the unread events of the list, and checks the list of unread ones. */
async function unreadTitles(world: World): Promise<readonly string[]> {
  const only = await inbox(world, ADA, { unread: true, limit: 100 });
  const all = await inbox(world, ADA, { limit: 100 });
  const shown = titles(all.events.filter(({ unread }) => unread));
  assert.equal(titles(only.events).slice(0, shown.length), shown);
  return titles(only.events);
}

function ofAlerts(events: number, workspace = 'acme') {
  return { workspace, events, channels: [{ channel: 'alerts', events }] };
}

async function posted(world: World, all: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const title of all) ids.push(await world.post({ title }));
  return ids;
}

async function readAlone(world: World, ...ids: readonly (string | undefined)[]): Promise<void> {
  await world.calls.markEventsRead({ userId: await idOf(world), events: ids.map(String) });
}

async function unreadAlone(world: World, ...ids: readonly (string | undefined)[]): Promise<void> {
  granted(await world.calls.markEventsUnread({ userId: await idOf(world), events: ids.map(String) }));
}

async function read(world: World, upTo: string): Promise<void> {
  granted(await world.calls.markInboxRead({ userId: await idOf(world), workspace: 'acme', upTo }));
}

function byName(a: { workspace: string }, b: { workspace: string }): number {
  return a.workspace.localeCompare(b.workspace);
}
