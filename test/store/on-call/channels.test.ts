import * as assert from 'uvu/assert';
import { toTimestamp } from '../../../src/values/timestamp.ts';
import { INSISTING, MINUTE_MS, roundAt } from '../../support/alerts.ts';
import { ADA, BOB, CARL } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { anOnCallWorld, deviceOf, heardAt, insistByRota, ROTA } from '../../support/on-call-channel.ts';
import { claim, settle } from '../../support/queue.ts';
import { hashOf, reportAs } from '../../support/receipts.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { it, run } = conformance('on call: channels', anOnCallWorld);

const ALERTS = { workspace: 'acme', channel: 'alerts' } as const;
const EVERYONE = ['ada', 'bob', 'carl'];
const BOB_ALONE = ['ada quietly', 'bob', 'carl quietly'];

/** Runs the round at that time. Returns who gets a push then. */
async function roundHeardAt(world: World, atMs: number): Promise<readonly string[]> {
  await roundAt(world, atMs);
  return heardAt(world, atMs);
}

async function dueIn(world: World, atMs: number): Promise<number | null> {
  return (await world.calls.nextRound({ wallMs: atMs })).inMs;
}

it('an alert rings for the person on call, and reminds nobody else until it rings for everyone', async (world) => {
  await insistByRota(world, { repeat: 120 });
  await world.post(INSISTING);
  assert.equal(await heardAt(world), BOB_ALONE);
  assert.equal(await roundHeardAt(world, NOW_MS + 2 * MINUTE_MS), ['bob']);
  assert.equal(await roundHeardAt(world, NOW_MS + 4 * MINUTE_MS), ['bob']);
  assert.equal(await roundHeardAt(world, NOW_MS + 5 * MINUTE_MS - 1), []);
  assert.equal(await roundHeardAt(world, NOW_MS + 5 * MINUTE_MS), EVERYONE);
  assert.equal(await roundHeardAt(world, NOW_MS + 7 * MINUTE_MS), EVERYONE);
});

it('an alert with rare reminders rings for everyone at `widen_after`', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  await world.post(INSISTING);
  assert.equal(await heardAt(world), BOB_ALONE);
  assert.equal(await roundHeardAt(world, NOW_MS + 300_000 - 1), []);
  assert.equal(await roundHeardAt(world, NOW_MS + 300_000), EVERYONE);
  assert.is(await dueIn(world, NOW_MS + 300_000), HOUR_MS);
});

it('a second alert rings for everyone at its own time, even beside one that already does', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  await world.post(INSISTING);
  await heardAt(world);
  await roundHeardAt(world, NOW_MS + 300_000);
  const secondMs = NOW_MS + 400_000;
  await world.post({ ...INSISTING, collapseKey: 'second', wallMs: secondMs });
  assert.equal(await heardAt(world, secondMs), BOB_ALONE);
  assert.equal(await roundHeardAt(world, secondMs + 300_000 - 1), []);
  assert.equal(await roundHeardAt(world, secondMs + 300_000), EVERYONE);
});

it('hundreds of alerts ring for everyone in one round', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  for (let nth = 0; nth < 120; nth += 1)
    await world.post({ ...INSISTING, collapseKey: `disk ${nth}`, wallMs: NOW_MS + 10 * nth });
  while ((await heardAt(world, NOW_MS + 2_000)).length > 0);
  assert.equal(await roundHeardAt(world, NOW_MS + 300_000), EVERYONE);
  assert.equal(await roundHeardAt(world, NOW_MS + 300_001), []);
  assert.is(await dueIn(world, NOW_MS + 300_001), HOUR_MS - 1);
});

it('an event that joins an alert rings for the person on call, and for everyone once the alert does', async (world) => {
  await insistByRota(world, { repeat: 600 });
  await world.post(INSISTING);
  await heardAt(world);
  await world.post({ ...INSISTING, wallMs: NOW_MS + 60_000 });
  assert.equal(await heardAt(world, NOW_MS + 60_000), BOB_ALONE);
  await roundHeardAt(world, NOW_MS + 300_000);
  await world.post({ ...INSISTING, wallMs: NOW_MS + 301_000 });
  assert.equal(await heardAt(world, NOW_MS + 301_000), EVERYONE);
});

it('an event without an alert rings for everyone', async (world) => {
  await world.post({});
  assert.equal(await heardAt(world), EVERYONE);
});

it('a handover between an alert and its reminder moves the reminder', async (world) => {
  await insistByRota(world, { repeat: 120 });
  const beforeMs = Date.UTC(2026, 10, 22, 8, 58);
  await world.post({ ...INSISTING, wallMs: beforeMs });
  assert.equal(await heardAt(world, beforeMs), BOB_ALONE);
  assert.equal(await roundHeardAt(world, beforeMs + 120_000), ['carl']);
});

it('an override decides who is on call', async (world) => {
  const untilMs = NOW_MS + HOUR_MS;
  granted(await world.calls.addOverride({ ...ROTA, member: CARL, fromMs: NOW_MS, untilMs }));
  await world.post(INSISTING);
  assert.equal(await heardAt(world), ['ada quietly', 'bob quietly', 'carl']);
});

it('`widen_after` counts from the first ring', async (world) => {
  await insistByRota(world, { repeat: 600, ring_after: 120 });
  await world.post(INSISTING);
  assert.equal(await heardAt(world), ['ada quietly', 'bob quietly', 'carl quietly']);
  assert.equal(await roundHeardAt(world, NOW_MS + 120_000), ['bob']);
  assert.equal(await roundHeardAt(world, NOW_MS + 420_000 - 1), []);
  assert.equal(await roundHeardAt(world, NOW_MS + 420_000), EVERYONE);
});

it('`widen_after` begins again after a snooze', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  const publicId = await world.post(INSISTING);
  await heardAt(world);
  granted(await world.calls.acknowledgeAlert({ publicId, as: BOB, forS: 300, wallMs: NOW_MS + 250_000 }));
  await heardAt(world, NOW_MS + 250_000);
  const againMs = NOW_MS + 550_000;
  assert.equal(await roundHeardAt(world, againMs), ['bob']);
  assert.equal(await roundHeardAt(world, againMs + 300_000 - 1), []);
  assert.equal(await roundHeardAt(world, againMs + 300_000), EVERYONE);
});

it('`widen_after` begins again once an alert is reopened', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  const publicId = await world.post(INSISTING);
  await heardAt(world);
  granted(await world.calls.resolveAlert({ publicId, as: CARL, wallMs: NOW_MS + 60_000 }));
  await heardAt(world, NOW_MS + 60_000);
  const againMs = NOW_MS + 600_000;
  granted(await world.calls.reopenAlert({ publicId, as: CARL, wallMs: againMs }));
  assert.equal(await roundHeardAt(world, againMs), ['bob']);
  assert.equal(await roundHeardAt(world, againMs + 300_000), EVERYONE);
});

it('a reminder for the person on call reaches nobody else, not even the person who has caused it', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  const publicId = await world.post(INSISTING);
  await heardAt(world);
  granted(await world.calls.resolveAlert({ publicId, as: ADA, wallMs: NOW_MS + 1_000 }));
  await heardAt(world, NOW_MS + 1_000);
  granted(await world.calls.reopenAlert({ publicId, as: ADA, wallMs: NOW_MS + 2_000 }));
  assert.equal(await roundHeardAt(world, NOW_MS + 2_000), ['bob']);
});

it('an alert rings for everyone at once if the person on call has muted it', async (world) => {
  const mutedUntil = toTimestamp(NOW_MS + HOUR_MS);
  await insistByRota(world, { repeat: 120 });
  granted(await world.calls.subscribe({ ...(await deviceOf(world, 'bob')), ...ALERTS, mutedUntil }));
  const publicId = await world.post(INSISTING);
  assert.equal(await heardAt(world), ['ada', 'carl']);
  assert.equal(await roundHeardAt(world, NOW_MS + 120_000), ['ada', 'carl']);
  const { event } = granted(await world.calls.showEvent({ publicId, limit: 1 }));
  assert.equal([event.quiet, event.on_call], [null, { name: 'bob', reachable: false }]);
});

it('an alert rings for everyone at once if its level is below the minimum of the person on call', async (world) => {
  granted(await world.calls.subscribe({ ...(await deviceOf(world, 'bob')), ...ALERTS, minLevel: 'error' }));
  await world.post({ ...INSISTING, level: 'warning' });
  assert.equal(await heardAt(world), ['ada', 'carl']);
  await world.post({ ...INSISTING, collapseKey: 'second' });
  assert.equal(await heardAt(world), BOB_ALONE);
});

it('an alert rings for everyone at once if the only route of the person on call is paused', async (world) => {
  granted(await world.calls.pauseRoute({ route: 'apns_production' }));
  await world.post(INSISTING);
  assert.equal(await heardAt(world), EVERYONE);
});

it('an alert rings for everyone at once if the person on call has no subscribed device', async (world) => {
  granted(await world.calls.unsubscribe({ ...(await deviceOf(world, 'bob')), ...ALERTS }));
  await world.post(INSISTING);
  assert.equal(await heardAt(world), ['ada', 'carl']);
});

it('an alert rings for everyone at once if no device of the person on call shows its pushes', async (world) => {
  const { userId, deviceId } = await deviceOf(world, 'bob');
  const at = (minutes: number) => NOW_MS + minutes * MINUTE_MS;
  const address = { platform: 'ios', token: tokenOf(2) } as const;
  granted(await world.calls.registerDevice({ userId, ...address, deviceTokenHash: hashOf('token 50') }));
  const heardOf = async (minutes: number) => {
    const wallMs = at(minutes);
    const publicId = await world.post({ ...INSISTING, collapseKey: null, wallMs });
    const heard = await heardAt(world, wallMs, { state: 'accepted', isAwaited: true });
    return { publicId, heard };
  };
  const { publicId } = await heardOf(0);
  await reportAs(world, deviceId, publicId);
  for (const minutes of [1, 2, 3]) assert.equal((await heardOf(minutes)).heard, BOB_ALONE);
  await world.calls.missReceipts({ wallMs: at(14) });
  assert.equal((await heardOf(14)).heard, EVERYONE);
});

it('an alert rings for everyone if nobody is on call', async (world) => {
  for (const email of [BOB, CARL]) granted(await world.calls.removeMember({ workspace: 'acme', email }));
  await world.post(INSISTING);
  assert.equal(await heardAt(world), ['ada']);
});

it('an alert rings for everyone at once if the last push to the person on call ends unaccepted', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  await world.post(INSISTING);
  assert.is(await dueIn(world, NOW_MS), 1_000);
  for (const batch of await claim(world, { lane: 'urgent' })) {
    const bob = batch.targets.findIndex(({ event }) => batch.events[event]?.event.quiet !== true);
    const verdicts = batch.targets.map((_, index) => ({
      index,
      verdict: index === bob ? ({ state: 'failed', reason: 'BadTopic' } as const) : ({ state: 'accepted' } as const),
      fitted: false,
      linksLost: false,
    }));
    await world.calls.settleBatch({ claimId: batch.claimId, verdicts });
  }
  assert.is(await dueIn(world, NOW_MS + 1_000), 0);
  assert.equal(await roundHeardAt(world, NOW_MS + 1_000), EVERYONE);
  assert.is(await dueIn(world, NOW_MS + 1_000), HOUR_MS);
});

it('an alert rings for everyone at once if the route of the person on call is paused meanwhile', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  await world.post(INSISTING);
  const paused = ['apns_production'] as const;
  assert.is((await world.calls.nextRound({ paused })).inMs, 0);
  await roundAt(world, NOW_MS, paused);
  assert.is((await world.calls.nextRound({ paused })).inMs, HOUR_MS);
  assert.equal(await heardAt(world), [...EVERYONE, ...BOB_ALONE].toSorted());
});

it('a channel that an alert escalates to applies its own rota', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'leads' }));
  for (const name of ['ada', 'carl'] as const)
    granted(await world.calls.subscribe({ ...(await deviceOf(world, name)), ...ALERTS, channel: 'leads' }));
  const handover = { every: 'day', at: '09:00' } as const;
  granted(await world.calls.createRota({ workspace: 'acme', slug: 'managers', members: [CARL], handover }));
  await insistByRota(world, { on_call: { rota: 'managers', widen_after: 120 } }, 'leads');
  await insistByRota(world, { repeat: 3_600, until: 7_200, escalate: { channel: 'leads', after: 60 } });
  await world.post(INSISTING);
  await heardAt(world);
  assert.equal(await roundHeardAt(world, NOW_MS + 60_000), ['ada quietly', 'carl']);
  assert.equal(await roundHeardAt(world, NOW_MS + 180_000 - 1), []);
  assert.equal(await roundHeardAt(world, NOW_MS + 180_000), ['ada', 'bob', 'carl']);
});

it('every member of a rota whom the channel cannot wake is reported, on call or not', async (world) => {
  const found = async () => [
    (await world.calls.readStatus({})).unreachable,
    granted(await world.calls.stats({ workspace: 'acme', sinceMs: NOW_MS - HOUR_MS })).on_call_unreachable,
  ];
  assert.equal(await found(), Array(2).fill({ count: 0, first: [] }));
  granted(await world.calls.unsubscribe({ ...(await deviceOf(world, 'carl')), ...ALERTS }));
  const carl = { ...ALERTS, rota: 'payments', email: CARL, name: 'carl' };
  assert.equal(await found(), Array(2).fill({ count: 1, first: [carl] }));
  granted(await world.calls.subscribe({ ...(await deviceOf(world, 'carl')), ...ALERTS }));
  granted(await world.calls.pauseRoute({ route: 'apns_production' }));
  assert.is((await found())[0]?.count, 2);
});

it('the event keeps who was on call, and its deliveries say who was not', async (world) => {
  const publicId = await world.post(INSISTING);
  await heardAt(world);
  const { event, deliveries } = granted(await world.calls.showEvent({ publicId, limit: 10 }));
  assert.equal([event.quiet, event.on_call], [null, { name: 'bob', reachable: true }]);
  const notOnCall = { reason: 'not_on_call', by: 'bob' };
  assert.equal(
    deliveries.map(({ member, quiet }) => [member, quiet]),
    [
      [ADA, notOnCall],
      [BOB, null],
      [CARL, notOnCall],
    ],
  );
  const resultFor = async (email: string) => {
    const { member } = granted(await world.calls.showEvent({ publicId, email, limit: 1 }));
    return member?.devices.map(({ result, reason }) => [result, reason]);
  };
  assert.equal([await resultFor(BOB), await resultFor(CARL)], [[['accepted', null]], [['not_on_call', 'bob']]]);
});

it('a push that is retried stays as loud or quiet as it was', async (world) => {
  await insistByRota(world, { repeat: 3_600, until: 7_200 });
  await world.post(INSISTING);
  for (const batch of await claim(world, { lane: 'urgent' }))
    await settle(world, batch, { state: 'pending', reason: 'busy', retryInMs: 1_000, spent: true });
  assert.equal(await heardAt(world, NOW_MS + 2_000), BOB_ALONE);
});

it('a channel is refused with an unknown rota, and with `widen_after` longer than `until`', async (world) => {
  const fieldOf = async (on_call: object) => {
    const insist = { repeat: 60, until: 600, on_call: on_call as { rota: string } };
    const answer = await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist });
    return 'detail' in answer && answer.detail?.field;
  };
  assert.is(await fieldOf({ rota: 'nobody' }), 'insist.on_call.rota');
  assert.is(await fieldOf({ rota: 'payments', widen_after: 601 }), 'insist.on_call.widen_after');
  assert.is(await fieldOf({ rota: 'payments', widen_after: 59 }), 'insist.on_call.widen_after');
  await insistByRota(world, { on_call: { rota: 'payments', widen_after: 120 } });
  const { insist } = granted(await world.calls.showChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.equal(insist?.on_call, { rota: 'payments', widen_after: 120 });
});

it('a rota that a channel names cannot be deleted', async (world) => {
  const refused = await world.calls.deleteRota(ROTA);
  assert.is('refused' in refused && refused.refused, 'conflict');
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: null }));
  granted(await world.calls.deleteRota(ROTA));
});

it('a notice of an alert goes to everyone without a sound', async (world) => {
  const publicId = await world.post(INSISTING);
  await heardAt(world);
  granted(await world.calls.acknowledgeAlert({ publicId, as: CARL, wallMs: NOW_MS + 60_000 }));
  assert.equal(await heardAt(world, NOW_MS + 60_000), ['ada quietly', 'bob quietly', 'carl quietly']);
});

run();
