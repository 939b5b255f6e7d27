import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventText } from '../../../../src/store/calls.ts';
import { BOB, idOf, join } from '../../../support/people.ts';
import { aDevice, aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../../../support/world.ts';

const test = suite('inbox');

test('the events of all channels that one listens on come together, newest first, and no others', () => {
  const world = aWorld();
  for (const slug of ['alerts', 'noise'])
    granted(world.calls.createChannel({ workspace: 'acme', slug, wallMs: NOW_MS }));
  world.addDevice({ token: tokenOf(1), subscribe: ['deploys', 'alerts'] });
  world.addDevice({ token: tokenOf(2), subscribe: ['deploys'] });
  for (const channel of ['deploys', 'alerts', 'noise', 'deploys', 'alerts']) world.accept({ channel, title: channel });
  assert.equal(titles(inbox(world).events), ['alerts', 'deploys', 'alerts', 'deploys']);
});

test('an event is there with its full text', () => {
  const world = aWorld();
  world.addDevice();
  const description = 'x'.repeat(1000);
  const marks = { eventType: 'deploy', collapseKey: 'api', expiresInS: 600 };
  const { event } = world.accept({ description, ...marks, level: 'warning', urgency: 'time_sensitive' });
  assert.equal(inbox(world).events, [
    {
      ...event,
      workspace: 'acme',
      channel: 'deploys',
      title: 'Deploy finished',
      description,
      delivery_urgency: 'time_sensitive',
      collapse_key: 'api',
      expires_in: 600,
    },
  ]);
});

test('what was posted before one listened is there as well', () => {
  const world = aWorld();
  world.accept({ title: 'before' });
  assert.equal(inbox(world).events, []);
  world.addDevice();
  assert.equal(titles(inbox(world).events), ['before']);
});

test('pages follow each other without gap or repetition while new events arrive', () => {
  const world = aWorld();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }));
  world.addDevice({ subscribe: ['deploys', 'alerts'] });
  const expected = Array.from({ length: 7 }, (_, n) => String(n)).reverse();
  for (const title of expected.toReversed()) world.accept({ title, channel: Number(title) % 3 ? 'deploys' : 'alerts' });
  const read: string[] = [];
  let next: string | null | undefined;
  do {
    const page = inbox(world, { limit: 3, ...(next && { before: next }) });
    read.push(...titles(page.events));
    next = page.next;
    world.accept({ title: 'new' });
  } while (next);
  assert.equal(read, expected);
});

test('a page goes on where it was also after the event at its end was deleted', () => {
  const world = aWorld();
  world.addDevice();
  for (const title of ['a', 'b', 'c', 'd']) world.accept({ title });
  const { next } = inbox(world, { limit: 2 });
  world.db.prepare(`DELETE FROM event WHERE title = 'c'`).run();
  assert.equal(titles(inbox(world, { before: String(next) }).events), ['b', 'a']);
  world.db.prepare('DELETE FROM event').run();
  assert.equal(inbox(world, { before: String(next) }), { events: [], next: null });
});

test('the last page says that nothing follows, even if it is full', () => {
  const world = aWorld();
  world.addDevice();
  world.accept();
  world.accept();
  assert.is(inbox(world, { limit: 2 }).next, null);
  assert.type(inbox(world, { limit: 1 }).next, 'string');
});

test('one workspace can be read alone, and only one that one belongs to', () => {
  const world = aWorld();
  const umbrellaId = world.addWorkspace('umbrella');
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'deploys', wallMs: NOW_MS }));
  join(world, EMAIL, { workspace: 'umbrella' });
  world.addDevice();
  granted(world.calls.addDevice({ workspace: 'umbrella', email: EMAIL, ...aDevice(), wallMs: NOW_MS }));
  world.accept({ title: 'acme' });
  world.accept({ title: 'umbrella', workspaceId: umbrellaId });
  assert.equal(titles(inbox(world).events), ['umbrella', 'acme']);
  assert.equal(titles(inbox(world, { workspace: 'acme' }).events), ['acme']);
  granted(world.calls.removeMember({ workspace: 'umbrella', email: EMAIL }));
  assert.equal(titles(inbox(world).events), ['acme']);
  const left = world.calls.listInbox({ userId: idOf(world), workspace: 'umbrella', limit: 5 });
  assert.is(refused(left).refused, 'not_found');
});

test('what is no cursor is refused by the name of its field', () => {
  const world = aWorld();
  const answer = refused(world.calls.listInbox({ userId: idOf(world), limit: 5, before: '1 OR 1' }));
  assert.is(answer.field, 'before');
});

test('a member reads any event of the workspace by its id, after unsubscribing too; nobody else does', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  const bob = join(world, BOB, { workspace: 'umbrella' });
  const { public_id: publicId } = world.accept({ description: 'the whole of it' }).event;
  const read = granted(world.calls.readInboxEvent({ userId: idOf(world), publicId }));
  assert.is(read.description, 'the whole of it');
  assert.is(refused(world.calls.readInboxEvent({ userId: bob, publicId })).refused, 'not_found');
  assert.is(refused(world.calls.readInboxEvent({ userId: bob, publicId: 'evt_none' })).refused, 'not_found');
});

test.run();

function inbox(world: World, with_: { workspace?: string; limit?: number; before?: string } = {}) {
  return granted(world.calls.listInbox({ userId: idOf(world), limit: 20, ...with_ }));
}

function titles(events: readonly EventText[]): string[] {
  return events.map(({ title }) => title);
}
