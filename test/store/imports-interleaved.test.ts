import * as assert from 'uvu/assert';
import { assertEach } from '../support/assert-each.ts';
import { ADA, BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { commit, HERE, many, prune, stage } from '../support/imports.ts';
import { granted } from '../support/refusals.ts';
import { NOW_MS } from '../support/store.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { aWorld, linesOf } from '../support/world.ts';

const { it, run } = conformance('changes between the steps of an import', aWorld);

it('a committed import goes on after a crash until all of it is there', async (world) => {
  await stage(world, many(500));
  await commit(world);
  granted(await world.calls.registerImported(HERE));
  const after = await world.restart();
  await prune(after, NOW_MS);
  assert.is(await after.countRows('device'), 500);
  assert.equal(
    await after.calls.registerImported(HERE),
    { done: true, imported: 500, updated: 0 },
    'the client that began it gets the result',
  );
});

it('a member who is removed in between gets no more of the devices', async (world) => {
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  await world.calls.stageImport({ ...HERE, email: BOB, lines: linesOf(many(500)) });
  granted(await world.calls.commitImport({ ...HERE, email: BOB }));
  const { imported } = granted(await world.calls.registerImported(HERE));
  assert.ok(imported < 500);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.equal(await world.calls.registerImported(HERE), { done: true, imported, updated: 0 });
  await prune(world, NOW_MS);
  assert.is((await world.countRows('device')) + (await world.countRows('import_line')), 0);
});

it('the same devices imported twice at once are there once', async (world) => {
  const both = ['one', 'two'].map((importId) => ({ ...HERE, importId }));
  for (const place of both) granted(await world.calls.stageImport({ ...place, lines: linesOf(many(500)) }));
  for (const place of both) granted(await world.calls.commitImport(place));
  let answers = await Promise.all(both.map(async (place) => granted(await world.calls.registerImported(place))));
  while (answers.some(({ done }) => !done)) {
    answers = await Promise.all(both.map(async (place) => granted(await world.calls.registerImported(place))));
  }
  assert.is(await world.countRows('device'), 500);
  const sum = (which: 'imported' | 'updated') => answers.reduce((total, answer) => total + answer[which], 0);
  assert.equal([sum('imported'), sum('updated')], [500, 500]);
});

it('a device that the same person has in another workspace keeps listening there, one of another person moves', async (world) => {
  await world.addWorkspace('umbrella', { channels: ['news'] });
  granted(await world.calls.addMember({ workspace: 'umbrella', email: ADA, role: 'member' }));
  granted(await world.calls.addMember({ workspace: 'umbrella', email: BOB, role: 'member' }));
  const listening = { workspace: 'umbrella', ...aDevice({ subscribe: ['news'] }) };
  granted(await world.calls.addDevice({ ...listening, email: ADA, token: tokenOf(1) }));
  granted(await world.calls.addDevice({ ...listening, email: BOB, token: tokenOf(2) }));
  assert.equal(await world.importDevices([1, 2].map((n) => aDevice({ token: tokenOf(n) }))), {
    imported: 1,
    updated: 1,
  });
  const { devices } = granted(await world.calls.listDevices({ workspace: 'umbrella', limit: 9 }));
  assertEach(devices, ({ email, channels }) => [email, ...channels], [[ADA, 'news'], [ADA]]);
  assert.is((await world.accept()).event.target_device_count, 2);
});

it('a channel that is deleted in between is left out', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  await stage(world, [aDevice({ subscribe: ['builds', 'alerts'] })]);
  await commit(world);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await world.calls.registerImported(HERE));
  const { devices } = granted(await world.calls.listDevices({ workspace: 'acme', limit: 1 }));
  assert.equal(devices[0]?.channels, ['alerts'], 'a new channel of the same name is another one');
});

run();
