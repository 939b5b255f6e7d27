import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../../src/store/calls.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const { test, it, run } = conformance('event lists', aWorld);

test('a list is filtered by channel, level, time and words, and by all of them together', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  await world.accept({ title: 'old', level: 'error', wallMs: NOW_MS - HOUR_MS });
  await world.accept({ title: 'Disk full', level: 'error' });
  await world.accept({ title: 'build', channel: 'builds', description: 'disk' });
  for (const [filter, expected] of [
    [{}, ['build', 'Disk full', 'old']],
    [{ channel: 'alerts' }, ['Disk full', 'old']],
    [{ level: 'error' }, ['Disk full', 'old']],
    [{ sinceMs: NOW_MS }, ['build', 'Disk full']],
    [{ q: 'disk' }, ['build', 'Disk full']],
    [{ q: 'disk', channel: 'alerts', level: 'error', sinceMs: NOW_MS }, ['Disk full']],
  ] as const) {
    assert.equal(await titles(world, filter), expected, JSON.stringify(filter));
  }
});

it('an event that was received a moment before one with a smaller id hides none from a list by time', async (world) => {
  await world.accept({ title: 'old', wallMs: NOW_MS - 1 });
  await world.accept({ title: 'new', wallMs: NOW_MS });
  await world.accept({ title: 'late', wallMs: NOW_MS - 1 });
  assert.equal(await titles(world, { sinceMs: NOW_MS }), ['new']);
  assert.equal(await titles(world, { sinceMs: NOW_MS - 1 }), ['late', 'new', 'old']);
});

it('test pushes are there unless a channel or a level is asked for', async (world) => {
  const id = await world.addDevice();
  granted(await world.calls.testDevice({ id, uuid: crypto.randomUUID() }));
  assert.is((await titles(world)).length, 1);
  assert.equal(await titles(world, { level: 'info' }), []);
});

it('other workspaces have events and channels of their own', async (world) => {
  const { accept } = await world.addWorkspace('umbrella', { channels: ['alerts', 'rain'] });
  await accept();
  assert.equal([await titles(world), await titles(world, { channel: 'alerts' })], [[], []]);
  const unknown = refused(await world.calls.listEvents({ workspace: 'acme', channel: 'rain', limit: 9 }));
  assert.is(unknown.refused, 'not_found');
});

it('an event is shown to its own workspace alone', async (world) => {
  await world.addWorkspace('umbrella');
  const publicId = await world.post();
  granted(await world.calls.showEvent({ publicId, workspace: 'acme', limit: 1 }));
  assert.is(refused(await world.calls.showEvent({ publicId, workspace: 'umbrella', limit: 1 })).refused, 'not_found');
  assert.is(refused(await world.calls.showEvent({ publicId, limit: 1, after: 'x' })).detail?.field, 'after');
});

test('a list is of one type, exactly, or of what came until a time', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  for (const [hours, eventType, channel] of [
    [4, 'deploy', 'alerts'],
    [3, 'deploy.done', 'alerts'],
    [2, 'deploy', 'builds'],
    [1, null, 'alerts'],
  ] as const) {
    await world.accept({ title: `${hours} h`, eventType, channel, wallMs: NOW_MS - hours * HOUR_MS });
  }
  const [twoHours, threeHours] = [NOW_MS - 2 * HOUR_MS, NOW_MS - 3 * HOUR_MS];
  for (const [filter, expected] of [
    [{ eventType: 'deploy' }, ['2 h', '4 h']],
    [{ eventType: 'Deploy' }, []],
    [{ eventType: 'deploy', channel: 'alerts' }, ['4 h']],
    [{ untilMs: twoHours }, ['2 h', '3 h', '4 h']],
    [{ untilMs: twoHours - 1 }, ['3 h', '4 h']],
    [{ untilMs: twoHours, sinceMs: threeHours }, ['2 h', '3 h']],
    [{ untilMs: twoHours, sinceMs: threeHours, after: FIRST }, ['3 h', '2 h']],
    [{ untilMs: 0 }, []],
    [{ sinceMs: NOW_MS, after: FIRST }, []],
    [{ untilMs: NOW_MS + HOUR_MS, eventType: 'deploy', after: FIRST }, ['4 h', '2 h']],
  ] as const) {
    assert.equal(await titles(world, filter), expected, JSON.stringify(filter));
  }
});

it('a list until a time begins there, however many came since', async (world) => {
  const many = Array.from({ length: 64 }, (_, nth) => nth);
  for (const nth of many) await world.accept({ title: `${nth}`, wallMs: NOW_MS + nth * 1_000 });
  for (const nth of many) {
    const [newest] = await titles(world, { untilMs: NOW_MS + nth * 1_000, limit: 1 });
    const [oldest] = await titles(world, { sinceMs: NOW_MS + nth * 1_000, after: FIRST, limit: 1 });
    assert.equal([newest, oldest], [`${nth}`, `${nth}`]);
  }
});

test('behind a cursor a list is oldest first, page by page, and returns the place to continue at later', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  const first = await world.post({ title: '1' });
  for (const nth of [2, 3, 4, 5]) await world.post({ title: `${nth}`, channel: nth % 2 ? 'alerts' : 'builds' });
  const page = async (filter: object) => {
    const { events, next, up_to } = granted(await world.calls.listEvents({ workspace: 'acme', limit: 2, ...filter }));
    return { titles: events.map(({ title }) => title), next, upTo: up_to ?? '' };
  };
  const earlier = await page({ after: first });
  assert.equal([earlier.titles, earlier.next], [['2', '3'], earlier.upTo]);
  const later = await page({ after: earlier.upTo });
  assert.equal([later.titles, later.next], [['4', '5'], null]);
  const none = await page({ after: later.upTo });
  assert.equal([none.titles, none.next, none.upTo], [[], null, later.upTo]);
  await world.post({ title: '6', channel: 'builds' });
  assert.equal((await page({ after: later.upTo, channel: 'alerts' })).titles, []);
  assert.equal((await page({ after: later.upTo, channel: 'builds' })).titles, ['6']);
  assert.equal((await page({ after: FIRST, limit: 9 })).titles, ['1', '2', '3', '4', '5', '6']);
  assert.is((await page({})).upTo, '');
});

test('a cursor whose event has been deleted leads on without a gap', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  await world.post({ title: 'long ago', ...at(-2 * HOUR_MS) });
  const cursor = await world.post({ title: 'gone', channel: 'builds', ...at(0) });
  await world.post({ title: 'new', ...at(100) });
  await world.post({ title: 'slow', ...at(-100), wallMs: NOW_MS + 150 });
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  while (!(await world.calls.pruneStep({ wallMs: NOW_MS })).done);
  assert.is(await world.countRows('event'), 3);
  assert.equal(await titles(world, { after: cursor }), ['new', 'slow']);
});

run();

/** Before all events. */
const FIRST = `evt_${'0'.repeat(26)}`;

/** Posted and accepted so much later. */
function at(laterMs: number): { readonly uuid: string; readonly wallMs: number } {
  return { uuid: v7({ msecs: NOW_MS + laterMs }), wallMs: NOW_MS + laterMs };
}

async function titles({ calls }: World, filter: Partial<ArgsOf<'listEvents'>> = {}): Promise<readonly string[]> {
  const { events } = granted(await calls.listEvents({ workspace: 'acme', limit: 9, ...filter }));
  return events.map(({ title }) => title);
}
