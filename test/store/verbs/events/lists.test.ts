import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../../src/store/calls.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const test = conformance('event lists');

test('a list is filtered by channel, level, time and words, and by all of them together', async ({ engine }) => {
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

test('an event that was received a moment before one with a smaller id hides none from a list by time', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  await world.accept({ title: 'old', wallMs: NOW_MS - 1 });
  await world.accept({ title: 'new', wallMs: NOW_MS });
  await world.accept({ title: 'late', wallMs: NOW_MS - 1 });
  assert.equal(await titles(world, { sinceMs: NOW_MS }), ['new']);
  assert.equal(await titles(world, { sinceMs: NOW_MS - 1 }), ['late', 'new', 'old']);
});

test('test pushes are there unless a channel or a level is asked for', async ({ engine }) => {
  const world = await aWorld({ engine });
  const id = await world.addDevice();
  granted(await world.calls.testDevice({ id, uuid: crypto.randomUUID() }));
  assert.is((await titles(world)).length, 1);
  assert.equal(await titles(world, { level: 'info' }), []);
});

test('other workspaces have events and channels of their own', async ({ engine }) => {
  const world = await aWorld({ engine });
  const { accept } = await world.addWorkspace('umbrella', { channels: ['alerts', 'rain'] });
  await accept();
  assert.equal([await titles(world), await titles(world, { channel: 'alerts' })], [[], []]);
  const unknown = refused(await world.calls.listEvents({ workspace: 'acme', channel: 'rain', limit: 9 }));
  assert.is(unknown.refused, 'not_found');
});

test('an event is shown to its own workspace alone', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella');
  const publicId = await world.post();
  granted(await world.calls.showEvent({ publicId, workspace: 'acme', limit: 1 }));
  assert.is(refused(await world.calls.showEvent({ publicId, workspace: 'umbrella', limit: 1 })).refused, 'not_found');
  assert.is(refused(await world.calls.showEvent({ publicId, limit: 1, after: 'x' })).field, 'after');
});

test.run();

async function titles({ calls }: World, filter: Partial<ArgsOf<'listEvents'>> = {}): Promise<readonly string[]> {
  const { events } = granted(await calls.listEvents({ workspace: 'acme', limit: 9, ...filter }));
  return events.map(({ title }) => title);
}
