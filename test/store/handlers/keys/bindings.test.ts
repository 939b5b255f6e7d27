import * as assert from 'uvu/assert';
import type { AcceptArgs } from '../../../../src/store/calls.ts';
import { conformance, type OnEngine } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, type World } from '../../../support/world.ts';

const { it, run } = conformance('keys that are bound to channels', aTeam);

it('a bound key posts to its channels alone, and any other is unknown to it', async (world) => {
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'accepted');
  assert.is((await postAs(world, 'bound', { channel: 'alerts' })).kind, 'unknown_channel');
  assert.is((await postAs(world, null, { channel: 'alerts' })).kind, 'accepted');
});

it('a bound key reads the events of its channels alone', async (world) => {
  const [inBuilds, inAlerts] = await Promise.all(
    ['builds', 'alerts'].map(async (channel) => (await world.accept({ channel })).event.public_id),
  );
  const read = (publicId = '') =>
    world.calls.readEvent({ workspaceId: world.workspaceId, boundKeyId: 'bound', publicId });
  assert.is((await read(inBuilds))?.event.public_id, inBuilds);
  assert.is(await read(inAlerts), null);
});

it('idempotency keys of a bound key are its own through its rotations, and those of others the workspace’s', async (world) => {
  granted(await issue(world, 'alerting', ['alerts']));
  granted(await issue(world, 'both', ['alerts', 'builds']));
  const post = async (boundKeyId: string | null, channel: string, idempotencyKey = 'build-42') => {
    const answer = await postAs(world, boundKeyId, { channel, idempotencyKey });
    return 'event' in answer ? `${answer.kind} ${answer.event.public_id}` : answer.kind;
  };
  const [free, bound, alerting] = [
    await post(null, 'alerts'),
    await post('bound', 'builds'),
    await post('alerting', 'alerts'),
  ];
  for (const first of [free, bound, alerting]) assert.match(first, /^accepted /);
  const replayOf = (first: string) => first.replace('accepted', 'replayed');
  assert.is(await post(null, 'builds'), replayOf(free));
  assert.is(await post('bound', 'builds'), replayOf(bound));
  const both = await post('both', 'builds');
  assert.match(both, /^accepted /);
  assert.is(await post('both', 'alerts'), replayOf(both));
  const next = { id: 'bound', newId: 'next', secretHash: 'cd'.repeat(32), graceMs: 60_000 };
  granted(await world.calls.rotateKey(next));
  assert.is(await post('next', 'builds'), replayOf(bound));
  assert.is(await post('next', 'alerts', 'build-43'), 'unknown_channel');
  assert.is(await post('next', 'nowhere', 'build-43'), 'unknown_channel');
});

it('an idempotency key goes with the channel that its event was for', async (world) => {
  const post = async (channel: string, boundKeyId: string | null = 'bound', idempotencyKey = 'build-42') =>
    (await postAs(world, boundKeyId, { channel, idempotencyKey })).kind;
  assert.is(await post('builds'), 'accepted');
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', newSlug: 'ci', status: 'inactive' }));
  assert.is(await post('ci'), 'replayed');
  assert.is(await post('ci', 'bound', 'build-43'), 'unknown_channel');
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await issue(world, 'later', ['builds']));
  assert.is(await post('builds', 'later'), 'accepted');
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await issue(world, 'again', ['builds']));
  assert.is(await post('builds', 'again'), 'accepted');
});

it('no idempotency key, with any characters, is taken for a key of a bound key', async (world) => {
  const ids = ['bound', '1', ''].map((id) => `\u0001${id}\u0001build-42`);
  assert.is((await postAs(world, 'bound', { channel: 'builds', idempotencyKey: 'build-42' })).kind, 'accepted');
  for (const idempotencyKey of ids) {
    assert.is((await postAs(world, null, { channel: 'builds', idempotencyKey })).kind, 'accepted');
    assert.is((await postAs(world, null, { channel: 'builds', idempotencyKey })).kind, 'replayed');
  }
});

it('a key whose channels were all deleted posts nowhere, also not to a new channel of the same name', async (world) => {
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  assert.is((await postAs(world, 'bound', { channel: 'alerts' })).kind, 'unknown_channel');
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'unknown_channel');
  assert.equal(granted(await world.calls.listKeys({ workspace: 'acme' }))[0]?.channels, []);
});

it('a channel that gets another name stays the one that a key is bound to', async (world) => {
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', name: 'Alarms' }));
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'accepted');
});

it('a channel that gets another slug stays the one that a key is bound to, under the new slug alone', async (world) => {
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', newSlug: 'alarms' }));
  assert.is((await postAs(world, 'bound', { channel: 'alarms' })).kind, 'accepted');
  assert.is((await postAs(world, 'bound', { channel: 'builds' })).kind, 'unknown_channel');
  assert.equal(granted(await world.calls.listKeys({ workspace: 'acme' }))[0]?.channels, ['alarms']);
});

it('rotation keeps the channels', async (world) => {
  const next = { id: 'bound', newId: 'next', secretHash: 'cd'.repeat(32), graceMs: 0 };
  assert.equal(granted(await world.calls.rotateKey(next)).api_key.channels, ['builds']);
  assert.is((await world.calls.findKey({ id: 'next' }))?.boundKeyId, 'next');
  assert.is((await postAs(world, 'next', { channel: 'builds' })).kind, 'accepted');
  assert.is((await postAs(world, 'next', { channel: 'alerts' })).kind, 'unknown_channel');
});

it('a key is bound only to channels that there are in its workspace', async (world) => {
  await world.addWorkspace('umbrella', { channels: ['theirs'] });
  for (const channels of [[], ['nowhere'], ['builds', 'theirs']]) {
    assert.is(refused(await issue(world, 'wrong', channels)).detail?.field, 'channels');
    assert.is(await world.calls.findKey({ id: 'wrong' }), null);
  }
  assert.equal(granted(await issue(world, 'twice', ['builds', 'alerts', 'builds'])).channels, ['alerts', 'builds']);
});

run();

/** `acme` with the channels `alerts` and `builds`, and a key that is bound to `builds`. */
async function aTeam({ engine }: OnEngine): Promise<World> {
  const world = await aWorld({ engine });
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  assert.equal(granted(await issue(world, 'bound', ['builds'])).channels, ['builds']);
  return world;
}

function issue({ calls }: World, id: string, channels: readonly string[]) {
  const key = { workspace: 'acme', id, secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
  return calls.issueKey({ ...key, channels });
}

async function postAs({ calls, anEvent }: World, boundKeyId: string | null, with_: Partial<AcceptArgs>) {
  const key = boundKeyId === null ? null : await calls.findKey({ id: boundKeyId });
  return calls.acceptEvent(anEvent({ boundKeyId, postedBy: key?.origin ?? null, ...with_ }));
}
