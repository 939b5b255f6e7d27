import * as assert from 'uvu/assert';
import { INSISTING, MINUTE_MS, roundAt } from '../../support/alerts.ts';
import { BOB, CARL } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { anOnCallWorld, heardAt, insistByRota, ROTA } from '../../support/on-call-channel.ts';
import { granted } from '../../support/refusals.ts';
import { HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { it, run } = conformance('on call: channels', anOnCallWorld);

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

it('an alert rings for the person on call, who alone is reminded until it rings for everyone', async (world) => {
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
  assert.is(await dueIn(world, NOW_MS + 300_000), HOUR_MS);
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

run();
