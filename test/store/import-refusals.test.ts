import * as assert from 'uvu/assert';
import type { NewDevice } from '../../src/store/calls.ts';
import { ADA, BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { granted, refused } from '../support/refusals.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { aWorld, linesOf, type World } from '../support/world.ts';

const { it, run } = conformance('imports that are refused', aWorld);
const HERE = { importId: 'one', workspace: 'acme', email: ADA };

it('a refused import names the wrong lines and leaves nothing half done', async (world) => {
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

it('the first twenty of many wrong lines are named and the others counted', async (world) => {
  const bad = Array.from({ length: 14 }, () => aDevice({ token: '' }));
  await stage(world, bad);
  await stage(world, bad, 15);
  const { message } = refused(await commit(world));
  assert.match(message, 'line 20: ');
  assert.not.match(message, 'line 21: ');
  assert.match(message, 'and 8 more');
});

it('values of wrong types are wrong lines, too', async (world) => {
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

it('an import is committed once, only under its own id, and for whom it was staged', async (world) => {
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  await stage(world, [aDevice()]);
  assert.match(refused(await world.calls.commitImport({ ...HERE, importId: 'another' })).message, 'nothing is staged');
  assert.match(refused(await world.calls.commitImport({ ...HERE, email: BOB })).message, 'nothing is staged');
  granted(await commit(world));
  assert.match(refused(await commit(world)).message, 'nothing is staged');
});

it('an import for a stranger, or into no workspace, is refused with its first part', async (world) => {
  const lines = linesOf([aDevice()]);
  assert.is(refused(await world.calls.stageImport({ ...HERE, email: BOB, lines })).refused, 'not_found');
  assert.is(refused(await world.calls.stageImport({ ...HERE, workspace: 'umbrella', lines })).refused, 'not_found');
});

run();

function stage({ calls }: World, devices: readonly NewDevice[], first = 1) {
  return calls.stageImport({ ...HERE, lines: linesOf(devices, first) });
}

function commit({ calls }: World) {
  return calls.commitImport(HERE);
}
