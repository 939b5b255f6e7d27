import * as assert from 'uvu/assert';
import type { NewDevice } from '../../src/store/calls.ts';
import { ADA, BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { granted, refused } from '../support/refusals.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { aWorld, linesOf, type World } from '../support/world.ts';

const test = conformance('imports that are refused');
const HERE = { importId: 'one', workspace: 'acme', email: ADA };

test('a refused import names the wrong lines and leaves nothing half done', async ({ engine }) => {
  const world = await aWorld({ engine });
  const lines = [
    aDevice({ token: tokenOf(1) }),
    aDevice({ token: 'xyz' }),
    aDevice({ token: tokenOf(3), subscribe: ['alrets'] }),
    aDevice({ token: tokenOf(4) }),
  ];
  await stage(world, lines.slice(0, 2));
  await stage(world, lines.slice(2), 3);
  const { refused: kind, message } = refused(await commit(world));
  assert.is(kind, 'invalid');
  assert.match(message, '2 lines are wrong, nothing was imported\n  line 2: The token field must be');
  assert.match(message, 'line 3: Workspace "acme" has no channel "alrets". The nearest is "alerts"');
  assert.not.match(message, 'line 4');
  assert.is(
    (await world.countRows('device')) + (await world.countRows('subscription')) + (await world.countRows('audience')),
    0,
  );
});

test('of many wrong lines the first twenty are named and the others counted', async ({ engine }) => {
  const world = await aWorld({ engine });
  const bad = Array.from({ length: 14 }, () => aDevice({ token: '' }));
  await stage(world, bad);
  await stage(world, bad, 15);
  const { message } = refused(await commit(world));
  assert.match(message, 'line 20: ');
  assert.not.match(message, 'line 21: ');
  assert.match(message, 'and 8 more');
});

test('values of wrong types are wrong lines, too', async ({ engine }) => {
  const world = await aWorld({ engine });
  const strange = [
    { platform: 'ios', token: 5 },
    { platform: 'watch', token: 'x' },
    { ...aDevice(), subscribe: 'alerts' },
  ];
  await stage(world, strange as unknown as NewDevice[]);
  assert.match(
    refused(await commit(world)).message,
    /line 1: The token.*\n.*line 2: The platform.*\n.*line 3: The subscribe/,
  );
});

test('an import is committed once, only under its own id, and for whom it was staged', async ({ engine }) => {
  const world = await aWorld({ engine });
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  await stage(world, [aDevice()]);
  assert.match(refused(await world.calls.commitImport({ ...HERE, importId: 'another' })).message, 'nothing is staged');
  assert.match(refused(await world.calls.commitImport({ ...HERE, email: BOB })).message, 'nothing is staged');
  granted(await commit(world));
  assert.match(refused(await commit(world)).message, 'nothing is staged');
});

test('an import for a stranger, or into no workspace, is refused with its first part', async ({ engine }) => {
  const world = await aWorld({ engine });
  const lines = linesOf([aDevice()]);
  assert.is(refused(await world.calls.stageImport({ ...HERE, email: BOB, lines })).refused, 'not_found');
  assert.is(refused(await world.calls.stageImport({ ...HERE, workspace: 'umbrella', lines })).refused, 'not_found');
});

test.run();

function stage({ calls }: World, devices: readonly NewDevice[], first = 1) {
  return calls.stageImport({ ...HERE, lines: linesOf(devices, first) });
}

function commit({ calls }: World) {
  return calls.commitImport(HERE);
}
