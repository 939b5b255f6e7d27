import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewDevice } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { aDevice, aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../support/world.ts';

const test = suite('imports');

test('an import that was staged in parts is done in one call', () => {
  const world = aWorld();
  world.addDevice({ token: tokenOf(1), name: 'Known' });
  stage(world, [aDevice({ token: tokenOf(1) }), aDevice({ token: tokenOf(2) })]);
  assert.equal(stage(world, [aDevice({ platform: 'android', token: androidToken('fcm'), subscribe: [] })]), {
    staged: 3,
  });
  assert.is(world.countRows('device'), 1);
  assert.equal(commit(world), { imported: 2, updated: 1 });
  assert.is(world.countRows('device'), 3);
  assert.is(world.countRows('subscription'), 2);
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
  stage(world, lines.slice(2));
  const { refused: kind, message } = refused(commit(world));
  assert.is(kind, 'invalid');
  assert.match(message, 'Nothing was imported. Line 2: The token field must be');
  assert.match(message, 'Line 3: Workspace "acme" has no channel "deplois"; the nearest is "deploys"');
  assert.not.match(message, 'Line 4');
  assert.is(world.countRows('device') + world.countRows('subscription') + world.countRows('audience'), 0);
});

test('of many wrong lines the first five are named and the others counted', () => {
  const world = aWorld();
  stage(
    world,
    Array.from({ length: 12 }, () => aDevice({ token: '' })),
  );
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
  stage(world, [aDevice({ name: 'First' }), aDevice({ name: 'Second' })]);
  assert.equal(commit(world), { imported: 1, updated: 1 });
  assert.equal(world.db.prepare('SELECT name FROM device').pluck().all(), ['Second']);
});

test('an import is committed once, and only under its own id', () => {
  const world = aWorld();
  stage(world, [aDevice()]);
  const other = { importId: 'another', workspace: 'acme', email: EMAIL, wallMs: NOW_MS };
  assert.match(refused(world.calls.commitImport(other)).message, 'nothing is staged');
  granted(commit(world));
  assert.match(refused(commit(world)).message, 'nothing is staged');
});

test('an import that grows beyond all bounds is dropped, and its commit says so', () => {
  const world = aWorld();
  const part = Array.from({ length: 1_000_001 }, () => aDevice());
  stage(world, part);
  assert.match(refused(commit(world)).message, 'at most 1000000 devices');
});

test('an import for somebody who is no member is refused', () => {
  const world = aWorld();
  stage(world, [aDevice()]);
  const answer = world.calls.commitImport({
    importId: 'one',
    workspace: 'acme',
    email: 'bob@example.com',
    wallMs: NOW_MS,
  });
  assert.is(refused(answer).refused, 'not_found');
  assert.is(world.countRows('device'), 0);
});

test.run();

function stage({ calls }: World, devices: readonly NewDevice[]) {
  return calls.stageImport({ importId: 'one', devices });
}

function commit({ calls }: World) {
  return calls.commitImport({ importId: 'one', workspace: 'acme', email: EMAIL, wallMs: NOW_MS });
}
