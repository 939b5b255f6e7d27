import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { assertEach } from '../support/assert-each.ts';
import { ADA } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { granted, refused } from '../support/refusals.ts';
import { AT_MS, DAY_MS, LATER, listed, read, releasedAt } from '../support/scheduled.ts';
import { aWorld, NOW_MS } from '../support/world.ts';

const { test, it, run } = conformance('lists, beside events that are sent later', aWorld);

test('in the lists it stands at the time of its sending, and is unread for readers of all earlier events', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const userId = (await world.calls.findUser({ email: ADA }))?.userId ?? 0;
  const later = await world.post(LATER);
  const before = await world.post();
  await world.calls.markInboxRead({ userId, workspace: 'acme', upTo: before });
  const inbox = async () => {
    const { events } = granted(await world.calls.listInbox({ userId, limit: 9 }));
    return events.map((event) => [event.public_id, event.unread]);
  };
  assert.equal(await inbox(), [[before, false]]);
  refused(await world.calls.readInboxEvent({ userId, publicId: v7() }));
  await releasedAt(world, AT_MS);
  assert.equal(await inbox(), [
    [later, true],
    [before, false],
  ]);
  const { events } = granted(await world.calls.listEvents({ workspace: 'acme', after: before, limit: 9 }));
  assertEach(events, ({ public_id }) => public_id, [later]);
  const since = await world.calls.listEvents({ workspace: 'acme', sinceMs: AT_MS, limit: 9 });
  assertEach(granted(since).events, ({ public_id }) => public_id, [later]);
});

test('pages of scheduled events go on at their place, also behind an event whose time has come meanwhile', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const ids: string[] = [];
  for (const nth of [3, 2, 1, 0]) ids.unshift(await world.post({ sendAtMs: AT_MS + (nth === 2 ? 0 : 1) }));
  const page = async (before?: string) => {
    const among = { workspace: 'acme', scheduled: true, limit: 2 } as const;
    const { events, next } = granted(await world.calls.listEvents({ ...among, ...(before && { before }) }));
    return { ids: events.map(({ public_id }) => public_id), next: next ?? undefined };
  };
  const first = await page();
  assert.equal(first.ids, ids.slice(0, 2));
  await world.calls.cancelEvent({ publicId: ids[1] ?? '' });
  assert.equal((await page(first.next)).ids, ids.slice(2));
  assert.is(await releasedAt(world, AT_MS), 1);
  assert.equal(await page(ids[2]), { ids: ids.slice(3), next: undefined });
  assert.equal((await page()).ids, [ids[0], ids[3]]);
});

it('a filter by a missing channel is refused', async (world) => {
  const asked = { workspace: 'acme', channel: 'nothing', scheduled: true, limit: 2 } as const;
  assert.is(refused(await world.calls.listEvents(asked)).refused, 'not_found');
});

test('retention removes none that waits, and it is kept from its time on', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 }, eventsRetentionMs: DAY_MS, deliveriesRetentionMs: DAY_MS });
  const prune = async (wallMs: number) => {
    while (!(await world.calls.pruneStep({ wallMs, passedMs: 86_400_000 })).done);
  };
  const waiting = await world.post({ sendAtMs: NOW_MS + 20 * DAY_MS });
  const cancelled = await world.post({ sendAtMs: NOW_MS + 20 * DAY_MS });
  granted(await world.calls.cancelEvent({ publicId: cancelled }));
  await prune(NOW_MS + 19 * DAY_MS);
  assert.equal([(await read(world, waiting))?.state, await read(world, cancelled)], ['scheduled', null]);
  await releasedAt(world, NOW_MS + 20 * DAY_MS);
  granted(await world.calls.cancelEvent({ publicId: waiting, wallMs: NOW_MS + 20 * DAY_MS }));
  await prune(NOW_MS + 20.5 * DAY_MS);
  assert.is((await read(world, waiting))?.state, 'cancelled');
  await prune(NOW_MS + 22 * DAY_MS);
  assert.is(await read(world, waiting), null);
});

test('a deleted event that a list was to go on from is followed by none that was sent later', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 }, eventsRetentionMs: DAY_MS });
  const later = await world.post({ sendAtMs: NOW_MS + 3 * DAY_MS });
  const cursor = await world.post({ wallMs: NOW_MS + 10 });
  granted(await world.calls.cancelEvent({ publicId: cursor }));
  await releasedAt(world, NOW_MS + 3 * DAY_MS);
  while (!(await world.calls.pruneStep({ wallMs: NOW_MS + 3 * DAY_MS, passedMs: 86_400_000 })).done);
  assert.is(await read(world, cursor), null);
  const page = granted(await world.calls.listEvents({ workspace: 'acme', before: cursor, limit: 9 }));
  assert.equal(page.events, []);
  assert.equal(await listed(world), [later]);
});

test('a deleted event that a list was to go on from is followed by what came before it with a time that had passed', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 }, eventsRetentionMs: DAY_MS });
  const idAt = (atMs: number) => ({ uuid: v7({ msecs: atMs }), wallMs: atMs });
  const first = await world.post({ ...idAt(NOW_MS), sendAtMs: NOW_MS });
  const cursor = publicIdOf(v7({ msecs: NOW_MS + 20 }));
  const behind = async () => {
    const { events } = granted(await world.calls.listEvents({ workspace: 'acme', before: cursor, limit: 9 }));
    return events.map(({ public_id }) => public_id);
  };
  assert.equal(await behind(), [first]);
  const later = Array.from({ length: 210 }, () => world.anEvent({ ...idAt(NOW_MS + 10), sendAtMs: AT_MS }));
  await world.together('acceptEvent', later);
  await releasedAt(world, AT_MS);
  assert.equal(await behind(), [first]);
});

run();
