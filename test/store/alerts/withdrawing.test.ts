import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt } from '../../support/alerts.ts';
import { BOB } from '../../support/cast.ts';
import { conformance, type Engine } from '../../support/engines.ts';
import { claim, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: withdrawing', anInsistingWorld);

const AT_MS = NOW_MS + MINUTE_MS;
const BUSY = { state: 'pending', reason: 'TooManyRequests', retryInMs: MINUTE_MS, spent: true } as const;

/** An alert that has reached the channel `leads` as well, with a push that waits in each channel. */
async function escalated(engine: Engine): Promise<{ world: World; publicId: string }> {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { repeat: 60, escalate: { after: 60, channel: 'leads' } });
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  const publicId = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  await roundAt(world, AT_MS);
  return { world, publicId };
}

/** How pushes have ended that were not sent. */
async function endsOf(world: World) {
  while ((await world.calls.expireOverdue({ wallMs: AT_MS })).more);
  const { reasons } = granted(await world.calls.stats({ sinceMs: 0, wallMs: AT_MS }));
  return reasons.filter(({ state }) => state !== 'deferred').map(({ reason, count }) => [reason, count]);
}

async function defer(world: World): Promise<void> {
  for (const batch of await claim(world, { lane: 'urgent', atMs: AT_MS })) await settle(world, batch, BUSY, AT_MS);
}

test('the queued pushes of an acknowledged alert are withdrawn, in channels that it has reached as well', async (engine) => {
  for (const waits of ['in its fan-out', 'for another try']) {
    const { world, publicId } = await escalated(engine);
    if (waits === 'for another try') await defer(world);
    granted(await world.calls.acknowledgeAlert({ publicId, wallMs: AT_MS }));
    assert.equal(await endsOf(world), [['cancelled', 2]], waits);
  }
});

test('the queued pushes of an alert that its sender ends have expired at once', async (engine) => {
  for (const waits of ['in its fan-out', 'for another try']) {
    const { world } = await escalated(engine);
    if (waits === 'for another try') await defer(world);
    await world.post({ level: 'success', collapseKey: 'disk', wallMs: AT_MS });
    assert.equal(await endsOf(world), [['ttl', 2]], waits);
  }
});

test('the queued pushes of an alert whose channel is deleted are not sent in channels that it has reached as well', async (engine) => {
  const { world } = await escalated(engine);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts', wallMs: AT_MS }));
  assert.equal(await sentAt(world, AT_MS), []);
});

/** Three alerts in one bundle that waits, in two channels; the ids of the oldest first. */
async function bundled(engine: Engine) {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { repeat: 60, escalate: { after: 60, channel: 'leads' } });
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  const ids: string[] = [];
  for (const collapseKey of ['a', 'b', 'c'])
    ids.push(await world.post({ ...INSISTING, collapseKey, title: collapseKey }));
  await sentAt(world, NOW_MS);
  await roundAt(world, AT_MS);
  return { world, ids };
}

const ENDINGS = [
  ['acknowledged', ({ calls }: World, publicId: string) => calls.acknowledgeAlert({ publicId, wallMs: AT_MS })],
  ['snoozed', ({ calls }: World, publicId: string) => calls.acknowledgeAlert({ publicId, forS: 600, wallMs: AT_MS })],
  ['resolved', ({ calls }: World, publicId: string) => calls.resolveAlert({ publicId, wallMs: AT_MS })],
  [
    'ended by its sender',
    (world: World, _: string, collapseKey: string) => world.post({ level: 'success', collapseKey, wallMs: AT_MS }),
  ],
] as const;

test('a bundle is sent as long as one of its alerts is open, in channels that they have reached as well', async (engine) => {
  for (const [how, end] of ENDINGS) {
    const { world, ids } = await bundled(engine);
    const [oldest = '', , newest = ''] = ids;
    await end(world, newest, 'c');
    await end(world, oldest, 'a');
    const bundles = (await sentAt(world, AT_MS)).filter(({ event }) => event.title === '3 open alerts');
    assert.is(bundles.length, 2, how);
    const waiting = await bundled(engine);
    for (const [nth, key] of ['c', 'b', 'a'].entries())
      await end(waiting.world, waiting.ids.toReversed()[nth] ?? '', key);
    const rung = (await sentAt(waiting.world, AT_MS)).filter(({ event }) => event.title === '3 open alerts');
    assert.equal(rung, [], `all ${how}`);
  }
});

test('a bundle is withdrawn by an act on all of its alerts', async (engine) => {
  const { world, ids } = await bundled(engine);
  granted(await world.calls.acknowledgeAlert({ publicId: ids.at(-1) ?? '', all: true, wallMs: AT_MS }));
  assert.equal(
    (await sentAt(world, AT_MS)).filter(({ event }) => event.quiet !== true),
    [],
  );
});

it('an event that is sent again says in which state its alert is by now', async (world) => {
  const failed = async (collapseKey: string) => {
    const publicId = await world.post({ ...INSISTING, collapseKey });
    for (const batch of await claim(world, { lane: 'urgent' })) {
      await settle(world, batch, { state: 'failed', reason: 'PayloadEmpty' });
    }
    return publicId;
  };
  const [open, taken, over] = [await failed('open'), await failed('taken'), await failed('over')];
  granted(await world.calls.acknowledgeAlert({ publicId: taken }));
  granted(await world.calls.resolveAlert({ publicId: over }));
  await sentAt(world, NOW_MS);
  const again: unknown[] = [];
  for (const publicId of [open, taken, over]) {
    granted(await world.calls.resendEvent({ publicId }));
    again.push(...(await sentAt(world, NOW_MS)).map(({ event }) => [event.alert?.state, event.quiet ?? false]));
  }
  assert.equal(again, [
    ['open', false],
    ['acknowledged', true],
    ['resolved', false],
  ]);
});

run();
