import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewDevice } from '../../../src/store/calls.ts';
import { imports } from '../../../src/store/sqlite/imports.ts';
import { androidToken } from '../../support/android-token.ts';
import { NOW_MS, type TemporaryStore } from '../../support/store.ts';
import { aDevice, aWorld, EMAIL, granted, linesOf, refused, tokenOf, type World } from '../../support/world.ts';

const test = suite('imports');
const BOB = 'bob@example.com';
const HERE = { importId: 'one', workspace: 'acme', email: EMAIL };
const MINUTE_MS = 60_000;
const NOW = { wallMs: NOW_MS, steadyMs: NOW_MS };

test('an import that was staged in parts is seen by nobody before its commit, and then registered in steps', () => {
  const world = aWorld();
  world.addDevice({ token: tokenOf(1), name: 'Known' });
  granted(stage(world, [aDevice({ token: tokenOf(1) }), aDevice({ token: tokenOf(2) })]));
  assert.equal(stage(world, [aDevice({ platform: 'android', token: androidToken('fcm'), subscribe: [] })], 3), {
    staged: 3,
  });
  assert.is(world.countRows('device'), 1);
  assert.is(refused(world.calls.registerImported(HERE)).refused, 'invalid', 'nothing is registered before the commit');
  assert.equal(commit(world), { devices: 3 });
  assert.equal(world.calls.registerImported(HERE), { done: true, imported: 2, updated: 1 });
  assert.is(world.countRows('device'), 3);
  assert.is(world.countRows('subscription'), 2);
  assert.is(world.countRows('import_line'), 0);
});

test('no step registers more than four hundred devices, and events go to those that are there already', () => {
  const world = aWorld();
  stage(world, many(1_000));
  commit(world);
  let [before, done] = [0, false];
  while (!done) {
    assert.is(world.accept().event.target_device_count, before);
    const answer = granted(world.calls.registerImported(HERE));
    assert.ok(answer.imported <= before + 400);
    before = answer.imported;
    done = answer.done;
  }
  assert.is(world.accept().event.target_device_count, 1_000);
  assert.equal(world.calls.registerImported(HERE), { done: true, imported: 1_000, updated: 0 });
});

test('a step ends once it has taken 15 ms', () => {
  const world = aWorld();
  stage(world, many(10));
  commit(world);
  let elapsedMs = 0;
  const slow = imports(world.db, () => {
    elapsedMs += 5;
    return elapsedMs;
  });
  assert.equal(slow.registerImported(HERE, NOW), { done: false, imported: 3, updated: 0 });
  assert.equal(slow.registerImported(HERE, NOW), { done: false, imported: 6, updated: 0 });
});

test('the devices of a step are close together in the order of their tokens, however the lines came', () => {
  const world = aWorld();
  for (let from = 0; from < 8_000; from += 500) {
    const shuffled = Array.from({ length: 500 }, (_, n) => (from + n) ** 3 % 8_009);
    stage(
      world,
      shuffled.map((n) => aDevice({ token: earlyTokenOf(n) })),
      from + 1,
    );
  }
  commit(world);
  while (!granted(world.calls.registerImported(HERE)).done);
  const tokens = world.db.prepare<[], string>('SELECT token FROM device ORDER BY id').pluck().all();
  const distances = tokens.slice(1).map((token, index) => Math.abs(placeOf(token) - placeOf(tokens[index] ?? '')));
  const sum = distances.reduce((total, distance) => total + distance);
  const ofNoOrder = 8_009 / 3;
  assert.ok(sum / distances.length < ofNoOrder / 2, `${sum / distances.length}`);
});

test('of lines with one token the last counts, also where they were staged in different parts', () => {
  const world = aWorld();
  const device = (n: number, name: string) => aDevice({ token: earlyTokenOf(n), name });
  const parts = [
    [device(1, 'a'), device(500, 'First')],
    [device(400, 'b'), device(500, 'Second')],
    [device(450, 'c'), device(500, 'Third')],
  ];
  parts.forEach((part, index) => {
    granted(stage(world, part, 2 * index + 1));
  });
  commit(world);
  assert.equal(world.calls.registerImported(HERE), { done: true, imported: 4, updated: 2 });
  assert.is(world.db.prepare('SELECT name FROM device WHERE token = ?').pluck().get(earlyTokenOf(500)), 'Third');
});

test('a refused import names the wrong lines and leaves nothing half done', () => {
  const world = aWorld();
  const lines = [
    aDevice({ token: tokenOf(1) }),
    aDevice({ token: 'xyz' }),
    aDevice({ token: tokenOf(3), subscribe: ['deplois'] }),
    aDevice({ token: tokenOf(4) }),
  ];
  stage(world, lines.slice(0, 2));
  stage(world, lines.slice(2), 3);
  const { refused: kind, message } = refused(commit(world));
  assert.is(kind, 'invalid');
  assert.match(message, 'Nothing was imported. Line 2: The token field must be');
  assert.match(message, 'Line 3: Workspace "acme" has no channel "deplois". The nearest is "deploys"');
  assert.not.match(message, 'Line 4');
  assert.is(world.countRows('device') + world.countRows('subscription') + world.countRows('audience'), 0);
});

test('of many wrong lines the first five are named and the others counted', () => {
  const world = aWorld();
  const bad = Array.from({ length: 6 }, () => aDevice({ token: '' }));
  stage(world, bad);
  stage(world, bad, 7);
  const { message } = refused(commit(world));
  assert.match(message, 'Line 5: ');
  assert.not.match(message, 'Line 6: ');
  assert.match(message, '7 more lines are wrong.');
});

test('values of wrong types are wrong lines, too', () => {
  const world = aWorld();
  const strange = [
    { platform: 'ios', token: 5 },
    { platform: 'web', token: 'x' },
    { ...aDevice(), subscribe: 'deploys' },
  ];
  stage(world, strange as unknown as NewDevice[]);
  assert.match(refused(commit(world)).message, /Line 1: The token.*Line 2: The platform.*Line 3: The subscribe/);
});

test('a token that stands in the file twice is imported once and updated once', () => {
  const world = aWorld();
  assert.equal(world.importDevices([aDevice({ name: 'First' }), aDevice({ name: 'Second' })]), {
    imported: 1,
    updated: 1,
  });
  assert.equal(world.db.prepare('SELECT name FROM device').pluck().all(), ['Second']);
});

test('an import is committed once, only under its own id, and for whom it was staged', () => {
  const world = aWorld();
  granted(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  stage(world, [aDevice()]);
  assert.match(refused(world.calls.commitImport({ ...HERE, importId: 'another' })).message, 'nothing is staged');
  assert.match(refused(world.calls.commitImport({ ...HERE, email: BOB })).message, 'nothing is staged');
  granted(commit(world));
  assert.match(refused(commit(world)).message, 'nothing is staged');
});

test('an import for somebody who is no member, or into no workspace, is refused with its first part', () => {
  const world = aWorld();
  const lines = linesOf([aDevice()]);
  assert.is(refused(world.calls.stageImport({ ...HERE, email: BOB, lines })).refused, 'not_found');
  assert.is(refused(world.calls.stageImport({ ...HERE, workspace: 'umbrella', lines })).refused, 'not_found');
});

test('a committed import goes on after a crash until all of it is there', () => {
  const world = aWorld();
  stage(world, many(500));
  commit(world);
  granted(world.calls.registerImported(HERE));
  const after = world.restart();
  prune(after, NOW_MS);
  assert.is(after.countRows('device'), 500);
  assert.equal(
    after.calls.registerImported(HERE),
    { done: true, imported: 500, updated: 0 },
    'whoever began it is told',
  );
});

test('of an import that was dropped, or that nobody went on with, nothing remains', () => {
  const world = aWorld();
  stage(world, many(500));
  world.calls.dropImport(HERE);
  assert.match(refused(commit(world)).message, 'nothing is staged');
  assert.match(refused(stage(world, [aDevice()])).message, 'nothing is staged');
  prune(world, NOW_MS);
  granted(stage(world, many(500)));
  prune(world, NOW_MS + 14 * MINUTE_MS);
  assert.is(world.countRows('import_line'), 500, 'it may still be going on');
  prune(world, NOW_MS + 16 * MINUTE_MS);
  for (const table of ['import', 'import_line', 'import_sample', 'device']) assert.is(world.countRows(table), 0, table);
});

test('dropping an import that is committed changes nothing', () => {
  const world = aWorld();
  stage(world, many(2));
  commit(world);
  world.calls.dropImport(HERE);
  assert.equal(world.calls.registerImported(HERE), { done: true, imported: 2, updated: 0 });
});

test('a member who is removed in between gets no more of the devices', () => {
  const world = aWorld();
  granted(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  world.calls.stageImport({ ...HERE, email: BOB, lines: linesOf(many(500)) });
  granted(world.calls.commitImport({ ...HERE, email: BOB }));
  const { imported } = granted(world.calls.registerImported(HERE));
  assert.ok(imported < 500);
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.equal(world.calls.registerImported(HERE), { done: true, imported, updated: 0 });
  prune(world, NOW_MS);
  assert.is(world.countRows('device') + world.countRows('import_line'), 0);
});

test('the same devices imported twice at once are there once', () => {
  const world = aWorld();
  const both = ['one', 'two'].map((importId) => ({ ...HERE, importId }));
  for (const place of both) granted(world.calls.stageImport({ ...place, lines: linesOf(many(500)) }));
  for (const place of both) granted(world.calls.commitImport(place));
  let answers = both.map((place) => granted(world.calls.registerImported(place)));
  while (answers.some(({ done }) => !done)) {
    answers = both.map((place) => granted(world.calls.registerImported(place)));
  }
  assert.is(world.countRows('device'), 500);
  const sum = (which: 'imported' | 'updated') => answers.reduce((total, answer) => total + answer[which], 0);
  assert.equal([sum('imported'), sum('updated')], [500, 500]);
});

test('a device that the same person has in another workspace keeps listening there, one of another person moves', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'news' }));
  granted(world.calls.addMember({ workspace: 'umbrella', email: EMAIL, role: 'member' }));
  granted(world.calls.addMember({ workspace: 'umbrella', email: BOB, role: 'member' }));
  const listening = { workspace: 'umbrella', ...aDevice({ subscribe: ['news'] }) };
  granted(world.calls.addDevice({ ...listening, email: EMAIL, token: tokenOf(1) }));
  granted(world.calls.addDevice({ ...listening, email: BOB, token: tokenOf(2) }));
  assert.equal(world.importDevices([1, 2].map((n) => aDevice({ token: tokenOf(n) }))), { imported: 1, updated: 1 });
  const { devices } = granted(world.calls.listDevices({ workspace: 'umbrella', limit: 9 }));
  assert.equal(
    devices.map(({ email, channels }) => [email, ...channels]),
    [[EMAIL, 'news'], [EMAIL]],
  );
  assert.is(world.accept().event.target_device_count, 2);
});

test('a channel that is deleted in between is left out', () => {
  const world = aWorld();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  stage(world, [aDevice({ subscribe: ['builds', 'deploys'] })]);
  commit(world);
  granted(world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  granted(world.calls.registerImported(HERE));
  const { devices } = granted(world.calls.listDevices({ workspace: 'acme', limit: 1 }));
  assert.equal(devices[0]?.channels, ['deploys'], 'a new channel of the same name is another one');
});

test.run();

function many(count: number): NewDevice[] {
  return Array.from({ length: count }, (_, n) => aDevice({ token: tokenOf(n) }));
}

/** One that begins with its number. */
function earlyTokenOf(n: number): string {
  return n.toString(16).padStart(4, '0').padEnd(64, '0');
}

function placeOf(earlyToken: string): number {
  return Number.parseInt(earlyToken.slice(0, 4), 16);
}

function stage({ calls }: World, devices: readonly NewDevice[], first = 1) {
  return calls.stageImport({ ...HERE, lines: linesOf(devices, first) });
}

function commit({ calls }: World) {
  return calls.commitImport(HERE);
}

function prune({ calls }: TemporaryStore, wallMs: number): void {
  while (!calls.pruneStep({ wallMs }).done);
}
