import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventText } from '../../../../src/store/calls.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const test = conformance('inbox');
const onSqlite = suite('inbox: what SQLite keeps');

test('the events of all channels that one listens on come together, newest first, and no others', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  for (const slug of ['builds', 'noise'])
    granted(await world.calls.createChannel({ workspace: 'acme', slug, wallMs: NOW_MS }));
  await world.addDevice({ token: tokenOf(1), subscribe: ['alerts', 'builds'] });
  await world.addDevice({ token: tokenOf(2), subscribe: ['alerts'] });
  for (const channel of ['alerts', 'builds', 'noise', 'alerts', 'builds'])
    await world.accept({ channel, title: channel });
  assert.equal(titles((await inbox(world)).events), ['builds', 'alerts', 'builds', 'alerts']);
});

test('an event is there with its full text', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.addDevice();
  const description = 'x'.repeat(1000);
  const marks = { eventType: 'deploy', collapseKey: 'api', expiresInS: 600 };
  const { event } = await world.accept({ description, ...marks, level: 'warning', urgency: 'time_sensitive' });
  assert.equal((await inbox(world)).events, [
    {
      ...event,
      workspace: 'acme',
      channel: 'alerts',
      title: 'Disk full',
      description,
      delivery_urgency: 'time_sensitive',
      collapse_key: 'api',
      expires_in: 600,
    },
  ]);
});

test('what was posted before one listened is there as well', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.accept({ title: 'before' });
  assert.equal((await inbox(world)).events, []);
  await world.addDevice();
  assert.equal(titles((await inbox(world)).events), ['before']);
});

test('pages follow each other without gap or repetition while new events arrive', async ({ engine }) => {
  const world = await aWorld({ engine });
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds', wallMs: NOW_MS }));
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

onSqlite('a page goes on where it was also after the event at its end was deleted', async () => {
  const world = await aWorld();
  await world.addDevice();
  for (const title of ['a', 'b', 'c', 'd']) await world.accept({ title });
  const { next } = await inbox(world, { limit: 2 });
  world.db.prepare(`DELETE FROM event WHERE title = 'c'`).run();
  assert.equal(titles((await inbox(world, { before: String(next) })).events), ['b', 'a']);
  world.db.prepare('DELETE FROM event').run();
  assert.equal(await inbox(world, { before: String(next) }), { events: [], next: null });
});

test('the last page says that nothing follows, even if it is full', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.addDevice();
  await world.accept();
  await world.accept();
  assert.is((await inbox(world, { limit: 2 })).next, null);
  assert.type((await inbox(world, { limit: 1 })).next, 'string');
});

test('one workspace can be read alone, and only one that one belongs to', async ({ engine }) => {
  const world = await aWorld({ engine });
  const { workspaceId: umbrellaId } = await world.addWorkspace('umbrella', { channels: ['alerts'] });
  await world.join(ADA, { workspace: 'umbrella' });
  await world.addDevice();
  granted(await world.calls.addDevice({ workspace: 'umbrella', email: ADA, ...aDevice(), wallMs: NOW_MS }));
  await world.accept({ title: 'acme' });
  await world.accept({ title: 'umbrella', workspaceId: umbrellaId });
  assert.equal(titles((await inbox(world)).events), ['umbrella', 'acme']);
  assert.equal(titles((await inbox(world, { workspace: 'acme' })).events), ['acme']);
  granted(await world.calls.removeMember({ workspace: 'umbrella', email: ADA }));
  assert.equal(titles((await inbox(world)).events), ['acme']);
  const left = await world.calls.listInbox({ userId: await idOf(world), workspace: 'umbrella', limit: 5 });
  assert.is(refused(left).refused, 'not_found');
});

test('what is no cursor is refused by the name of its field', async ({ engine }) => {
  const world = await aWorld({ engine });
  const answer = refused(await world.calls.listInbox({ userId: await idOf(world), limit: 5, before: '1 OR 1' }));
  assert.is(answer.field, 'before');
});

test('a member reads any event of the workspace by its id, after unsubscribing too; nobody else does', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella');
  const bob = await world.join(BOB, { workspace: 'umbrella' });
  const { public_id: publicId } = (await world.accept({ description: 'the whole of it' })).event;
  const read = granted(await world.calls.readInboxEvent({ userId: await idOf(world), publicId }));
  assert.is(read.description, 'the whole of it');
  assert.is(refused(await world.calls.readInboxEvent({ userId: bob, publicId })).refused, 'not_found');
  assert.is(refused(await world.calls.readInboxEvent({ userId: bob, publicId: 'evt_none' })).refused, 'not_found');
});

test.run();
onSqlite.run();

async function inbox(world: World, with_: { workspace?: string; limit?: number; before?: string } = {}) {
  return granted(await world.calls.listInbox({ userId: await idOf(world), limit: 20, ...with_ }));
}

function titles(events: readonly EventText[]): string[] {
  return events.map(({ title }) => title);
}
