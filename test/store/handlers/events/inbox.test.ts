import * as assert from 'uvu/assert';
import type { ArgsOf, EventText } from '../../../../src/store/calls.ts';
import { toTimestamp } from '../../../../src/values/timestamp.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const { test, it, onSqlite, run } = conformance('inbox', aWorld);

it('the events of all channels that one listens on come together, newest first, and no others', async (world) => {
  for (const slug of ['builds', 'noise']) granted(await world.calls.createChannel({ workspace: 'acme', slug }));
  await world.addDevice({ token: tokenOf(1), subscribe: ['alerts', 'builds'] });
  await world.addDevice({ token: tokenOf(2), subscribe: ['alerts'] });
  for (const channel of ['alerts', 'builds', 'noise', 'alerts', 'builds'])
    await world.accept({ channel, title: channel });
  assert.equal(titles((await inbox(world)).events), ['builds', 'alerts', 'builds', 'alerts']);
});

it('an event is there with its full text', async (world) => {
  await world.addDevice();
  const description = 'x'.repeat(1000);
  const marks = { eventType: 'deploy', collapseKey: 'api', expiresInS: 600, occurredAtMs: NOW_MS - HOUR_MS };
  const { event } = await world.accept({ description, ...marks, level: 'warning', urgency: 'time_sensitive' });
  assert.equal((await inbox(world)).events, [
    {
      ...event,
      workspace: 'acme',
      channel: 'alerts',
      channel_name: 'alerts',
      title: 'Disk full',
      description,
      delivery_urgency: 'time_sensitive',
      collapse_key: 'api',
      expires_in: 600,
      occurred_at: '2026-11-21T08:30:00.123+00:00',
      send_at: null,
      quiet: null,
      unread: true,
      alert: null,
    },
  ]);
});

it('events from before a subscription are there as well', async (world) => {
  await world.accept({ title: 'before' });
  assert.equal((await inbox(world)).events, []);
  await world.addDevice();
  assert.equal(titles((await inbox(world)).events), ['before']);
});

it('pages follow each other without gap or repetition while new events arrive', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  await world.addDevice({ subscribe: ['alerts', 'builds'] });
  const expected = Array.from({ length: 7 }, (_, n) => String(n)).reverse();
  for (const title of expected.toReversed())
    await world.accept({ title, channel: Number(title) % 3 ? 'alerts' : 'builds' });
  const read: string[] = [];
  let next: string | null | undefined;
  do {
    const page = await inbox(world, { limit: 3, ...(next && { before: next }) });
    read.push(...titles(page.events));
    next = page.next;
    await world.accept({ title: 'new' });
  } while (next);
  assert.equal(read, expected);
});

onSqlite('a page continues at its place even if the event at its end was deleted', async () => {
  const world = await aWorld();
  await world.addDevice();
  for (const title of ['a', 'b', 'c', 'd']) await world.accept({ title });
  const { next } = await inbox(world, { limit: 2 });
  world.db.prepare(`DELETE FROM event WHERE title = 'c'`).run();
  assert.equal(titles((await inbox(world, { before: String(next) })).events), ['b', 'a']);
  world.db.prepare('DELETE FROM event').run();
  assert.equal(await inbox(world, { before: String(next) }), { events: [], unread: [], next: null });
});

test('filters go together, and a channel that nothing listens on has nothing in it', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds', 'noise'] });
  await world.addDevice({ subscribe: ['alerts', 'builds'] });
  await world.accept({ title: 'old', level: 'error', wallMs: NOW_MS - HOUR_MS });
  await world.accept({ title: 'alert', level: 'error' });
  await world.accept({ title: 'calm' });
  await world.accept({ title: 'build', channel: 'builds', level: 'error' });
  await world.accept({ title: 'noise', channel: 'noise' });
  for (const [filter, expected] of [
    [{ level: 'error' }, ['build', 'alert', 'old']],
    [{ channel: 'alerts' }, ['calm', 'alert', 'old']],
    [{ channel: 'alerts', level: 'error', sinceMs: NOW_MS - 1 }, ['alert']],
    [{ channel: 'noise' }, []],
    [{ channel: 'nowhere' }, []],
  ] as const) {
    assert.equal(titles((await inbox(world, filter)).events), expected, JSON.stringify(filter));
  }
});

it('a search finds events with all its words, in title or description, in any case', async (world) => {
  await world.addDevice();
  await world.accept({ title: 'Deploy finished', description: 'ÄRGER in eu-central-1' });
  await world.accept({ title: 'Deploy failed' });
  for (const [q, expected] of [
    ['deploy', ['Deploy failed', 'Deploy finished']],
    ['  EU-Central deploy ', ['Deploy finished']],
    ['ärger', ['Deploy finished']],
    ['%', []],
    [' ', ['Deploy failed', 'Deploy finished']],
  ] as const) {
    assert.equal(titles((await inbox(world, { q })).events), expected, q);
  }
});

it('a search says since when all events were looked at, and null once all were', async (world) => {
  await world.addDevice();
  await world.post({ title: 'needle', wallMs: NOW_MS });
  for (const minutes of [1, 2, 3]) await world.post({ title: 'needle', wallMs: NOW_MS + minutes * 60_000 });
  const first = await inbox(world, { q: 'needle', limit: 2 });
  assert.is(first.searched_to, toTimestamp(NOW_MS + 2 * 60_000));
  const second = await inbox(world, { q: 'needle', limit: 2, before: String(first.next) });
  assert.is(second.searched_to, null);
  assert.not('searched_to' in (await inbox(world, {})));
});

it('a search leads on to all that there is, page by page', async (world) => {
  await world.addDevice();
  for (const title of ['needle 1', 'hay', 'needle 2', 'hay', 'needle 3', 'hay']) await world.accept({ title });
  const first = await inbox(world, { q: 'needle', limit: 2 });
  const second = await inbox(world, { q: 'needle', limit: 2, before: String(first.next) });
  assertEach([first, second], ({ events }) => titles(events), [['needle 3', 'needle 2'], ['needle 1']]);
  assert.is(second.next, null);
});

onSqlite('one page of a search looks at 5,000 events, and the next one goes on behind them', async () => {
  const world = await aWorld();
  await world.addDevice();
  await world.accept({ title: 'needle' });
  const copy = `INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at, expires_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    SELECT unhex(printf('01a1fd70f23b70008%03x%012x', event.id, i)), workspace_id, channel_id, 'hay', level, urgency, 0, 0, received_at, expires_at FROM event, n`;
  world.db.prepare(copy).run();
  const first = await inbox(world, { q: 'needle' });
  assert.equal(first.events, []);
  const second = await inbox(world, { q: 'needle', before: String(first.next) });
  assert.equal([titles(second.events), second.next], [['needle'], null]);
  await world.accept({ title: 'pin', eventType: 'a.b' });
  const ofType = await inbox(world, { eventType: 'a.b', after: FIRST });
  assert.equal([ofType.events, ofType.next], [[], ofType.up_to]);
  const more = await inbox(world, { eventType: 'a.b', after: String(ofType.next) });
  assert.equal([titles(more.events), more.next], [['pin'], null]);
});

it('the last page says that nothing follows, even if it is full', async (world) => {
  await world.addDevice();
  await world.accept();
  await world.accept();
  assert.is((await inbox(world, { limit: 2 })).next, null);
  assert.type((await inbox(world, { limit: 1 })).next, 'string');
});

it('one workspace can be read alone, and only one that one belongs to', async (world) => {
  const { workspaceId: umbrellaId } = await world.addWorkspace('umbrella', { channels: ['alerts'] });
  await world.join(ADA, { workspace: 'umbrella' });
  await world.addDevice();
  granted(await world.calls.addDevice({ workspace: 'umbrella', email: ADA, ...aDevice() }));
  await world.accept({ title: 'acme' });
  await world.accept({ title: 'umbrella', workspaceId: umbrellaId });
  assert.equal(titles((await inbox(world)).events), ['umbrella', 'acme']);
  assert.equal(titles((await inbox(world, { workspace: 'acme' })).events), ['acme']);
  granted(await world.calls.removeMember({ workspace: 'umbrella', email: ADA }));
  assert.equal(titles((await inbox(world)).events), ['acme']);
  const left = await world.calls.listInbox({ userId: await idOf(world), workspace: 'umbrella', limit: 5 });
  assert.is(refused(left).refused, 'not_found');
});

it('a text that is no cursor is refused by the name of its field', async (world) => {
  const answer = refused(await world.calls.listInbox({ userId: await idOf(world), limit: 5, before: '1 OR 1' }));
  assert.is(answer.detail?.field, 'before');
});

it('a member reads any event of the workspace by its id, after unsubscribing too; no one else does', async (world) => {
  await world.addWorkspace('umbrella');
  const bob = await world.join(BOB, { workspace: 'umbrella' });
  const { public_id: publicId } = (await world.accept({ description: 'the whole of it' })).event;
  const read = granted(await world.calls.readInboxEvent({ userId: await idOf(world), publicId }));
  assert.is(read.event.description, 'the whole of it');
  assert.is(refused(await world.calls.readInboxEvent({ userId: bob, publicId })).refused, 'not_found');
  assert.is(refused(await world.calls.readInboxEvent({ userId: bob, publicId: 'evt_none' })).refused, 'not_found');
});

run();

/** Before all events. */
const FIRST = `evt_${'0'.repeat(26)}`;

async function inbox(world: World, with_: Partial<ArgsOf<'listInbox'>> = {}) {
  return granted(await world.calls.listInbox({ userId: await idOf(world), limit: 20, ...with_ }));
}

function titles(events: readonly EventText[]): string[] {
  return events.map(({ title }) => title);
}
