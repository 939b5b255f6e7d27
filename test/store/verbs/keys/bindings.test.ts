import * as assert from 'uvu/assert';
import type { AcceptArgs } from '../../../../src/store/calls.ts';
import { conformance, type Engine } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, type World } from '../../../support/world.ts';

const test = conformance('keys that are bound to channels');

test('a bound key posts to its channels alone, and any other is unknown to it', async ({ engine }) => {
  const world = await aTeam(engine);
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'accepted');
  assert.is((await postAs(world, 'bound', { channel: 'alerts' })).kind, 'unknown_channel');
  assert.is((await postAs(world, null, { channel: 'alerts' })).kind, 'accepted');
});

test('a bound key reads the events of its channels alone', async ({ engine }) => {
  const world = await aTeam(engine);
  const [inBuilds, inAlerts] = await Promise.all(
    ['builds', 'alerts'].map(async (channel) => (await world.accept({ channel })).event.public_id),
  );
  const read = (publicId = '') =>
    world.calls.readEvent({ workspaceId: world.workspaceId, boundKeyId: 'bound', publicId });
  assert.is((await read(inBuilds))?.event.public_id, inBuilds);
  assert.is(await read(inAlerts), null);
});

test('the idempotency key of an event in another channel tells a bound key nothing of that event', async ({
  engine,
}) => {
  const world = await aTeam(engine);
  await world.accept({ channel: 'alerts', idempotencyKey: 'build-1' });
  await world.accept({ channel: 'builds', idempotencyKey: 'build-2' });
  const again = async (channel: string, idempotencyKey: string) =>
    (await postAs(world, 'bound', { channel, idempotencyKey })).kind;
  assert.is(await again('alerts', 'build-1'), 'unknown_channel');
  assert.is(await again('builds', 'build-1'), 'idempotency_key_taken');
  assert.is(await again('builds', 'build-2'), 'replayed');
});

test('a key whose channels were all deleted posts nowhere, also not to a new channel of the same name', async ({
  engine,
}) => {
  const world = await aTeam(engine);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  assert.is((await postAs(world, 'bound', { channel: 'alerts' })).kind, 'unknown_channel');
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'unknown_channel');
  assert.equal(granted(await world.calls.listKeys({ workspace: 'acme' }))[0]?.channels, []);
});

test('a channel that gets another name stays the one that a key is bound to', async ({ engine }) => {
  const world = await aTeam(engine);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', name: 'Alarms' }));
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'accepted');
});

test('a channel that gets another slug stays the one that a key is bound to, under the new slug alone', async ({
  engine,
}) => {
  const world = await aTeam(engine);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', newSlug: 'alarms' }));
  assert.is((await postAs(world, 'bound', { channel: 'alarms' })).kind, 'accepted');
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'unknown_channel');
  assert.equal(granted(await world.calls.listKeys({ workspace: 'acme' }))[0]?.channels, ['alarms']);
});

test('rotation keeps the channels', async ({ engine }) => {
  const world = await aTeam(engine);
  const next = { id: 'bound', newId: 'next', secretHash: 'cd'.repeat(32), graceMs: 0 };
  assert.equal(granted(await world.calls.rotateKey(next)).key.channels, ['builds']);
  assert.is((await world.calls.findKey({ id: 'next' }))?.boundKeyId, 'next');
  assert.is((await postAs(world, 'next', { channel: 'builds' })).kind, 'accepted');
  assert.is((await postAs(world, 'next', { channel: 'alerts' })).kind, 'unknown_channel');
});

test('a key is bound only to channels that there are in its workspace', async ({ engine }) => {
  const world = await aTeam(engine);
  await world.addWorkspace('umbrella', { channels: ['theirs'] });
  for (const channels of [[], ['nowhere'], ['builds', 'theirs']]) {
    assert.is(refused(await issue(world, 'wrong', channels)).field, 'channels');
    assert.is(await world.calls.findKey({ id: 'wrong' }), null);
  }
  assert.equal(granted(await issue(world, 'twice', ['builds', 'alerts', 'builds'])).channels, ['alerts', 'builds']);
});

test.run();

/** `acme` with the channels `alerts` and `builds`, and a key that is bound to `builds`. */
async function aTeam(engine: Engine): Promise<World> {
  const world = await aWorld({ engine });
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  assert.equal(granted(await issue(world, 'bound', ['builds'])).channels, ['builds']);
  return world;
}

function issue({ calls }: World, id: string, channels: readonly string[]) {
  const key = { workspace: 'acme', id, secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
  return calls.issueKey({ ...key, channels });
}

function postAs({ calls, anEvent }: World, boundKeyId: string | null, with_: Partial<AcceptArgs>) {
  return calls.acceptEvent(anEvent({ boundKeyId, ...with_ }));
}
