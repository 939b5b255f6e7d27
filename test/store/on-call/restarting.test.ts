/** `widen_after` starts again in each channel that an alert has reached. */

import * as assert from 'uvu/assert';
import { INSISTING, roundAt } from '../../support/alerts.ts';
import { ADA, BOB, CARL } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { anOnCallWorld, deviceOf, heardAt, insistByRota } from '../../support/on-call-channel.ts';
import { granted } from '../../support/refusals.ts';
import { HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { it, run } = conformance('on call: restarting', anOnCallWorld);

const LONG = { repeat: 3_600, until: 7_200 } as const;
const FROM_BOTH = ['ada', 'ada', 'bob', 'carl', 'carl'];
/** More alerts than follow an act at once. */
const MANY = 300;
const DAY_MS = 24 * HOUR_MS;

const at = (seconds: number) => NOW_MS + 1_000 * seconds;

/** After ten minutes, alerts ring for everyone. After one minute, they reach `leads`, where Carl is on call. */
async function letAlertsEscalate(world: World): Promise<void> {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'leads' }));
  for (const name of ['ada', 'carl'] as const)
    granted(await world.calls.subscribe({ ...(await deviceOf(world, name)), workspace: 'acme', channel: 'leads' }));
  const handover = { every: 'day', at: '09:00' } as const;
  granted(await world.calls.createRota({ workspace: 'acme', slug: 'managers', members: [CARL], handover }));
  await insistByRota(world, { ...LONG, on_call: { rota: 'managers', widen_after: 600 } }, 'leads');
  const policy = {
    ...LONG,
    on_call: { rota: 'payments', widen_after: 600 },
    escalate: { channel: 'leads', after: 60 },
  };
  await insistByRota(world, policy);
}

/** Returns the public id of an alert that has reached `leads` at second 60. */
async function anEscalatedAlert(world: World): Promise<string> {
  await letAlertsEscalate(world);
  const publicId = await world.post(INSISTING);
  await heardAt(world);
  assert.equal(await roundHeardAt(world, at(60)), ['ada quietly', 'carl']);
  return publicId;
}

/** Sends all that waits, which may be more than one claim. */
async function drain(world: World, atMs: number): Promise<void> {
  while ((await heardAt(world, atMs)).length > 0);
}

/** Runs the rounds of that time. Returns who gets a push then. */
async function roundHeardAt(world: World, atMs: number): Promise<readonly string[]> {
  for (let rounds = 0; rounds < 20; rounds += 1) {
    await roundAt(world, atMs);
    if ((await world.calls.nextRound({ wallMs: atMs })).inMs !== 0) break;
  }
  return heardAt(world, atMs);
}

it('a reopened alert rings for the person on call alone in each channel that it has reached', async (world) => {
  const publicId = await anEscalatedAlert(world);
  granted(await world.calls.resolveAlert({ publicId, as: CARL, wallMs: at(120) }));
  await drain(world, at(120));
  granted(await world.calls.reopenAlert({ publicId, as: ADA, wallMs: at(800) }));
  assert.equal(await roundHeardAt(world, at(800)), ['bob', 'carl']);
  assert.equal(await roundHeardAt(world, at(1_400) - 1), []);
  assert.equal(await roundHeardAt(world, at(1_400)), FROM_BOTH);
});

it('an alert rings for the person on call alone after a snooze, in each channel that it has reached', async (world) => {
  const publicId = await anEscalatedAlert(world);
  granted(await world.calls.acknowledgeAlert({ publicId, as: CARL, forS: 600, wallMs: at(120) }));
  await drain(world, at(120));
  assert.equal(await roundHeardAt(world, at(720)), ['bob', 'carl']);
  assert.equal(await roundHeardAt(world, at(1_320) - 1), []);
  assert.equal(await roundHeardAt(world, at(1_320)), FROM_BOTH);
});

it('an alert rings for the person on call alone after a maintenance, in each channel that it has reached', async (world) => {
  await anEscalatedAlert(world);
  const channel = { workspace: 'acme', slug: 'alerts' } as const;
  granted(await world.calls.createMaintenance({ ...channel, for: 600, wallMs: at(120) }));
  await drain(world, at(120));
  assert.equal(await roundHeardAt(world, at(720)), ['ada quietly', 'ada quietly', 'bob', 'carl', 'carl quietly']);
  assert.equal(await roundHeardAt(world, at(1_320) - 1), []);
  assert.equal(await roundHeardAt(world, at(1_320)), FROM_BOTH);
});

it('a reassigned alert rings for everyone after one repeat, in each channel that it has reached', async (world) => {
  const publicId = await anEscalatedAlert(world);
  const escalate = { channel: 'leads', after: 60 };
  await insistByRota(world, { repeat: 60, on_call: { rota: 'payments', widen_after: 600 }, escalate });
  granted(await world.calls.reassignAlert({ publicId, to: 'bob', as: ADA, wallMs: at(120) }));
  await drain(world, at(120));
  assert.equal(await roundHeardAt(world, at(180)), FROM_BOTH);
});

for (const all of [false, true]) {
  it(`the time in which ${all ? 'all alerts were' : 'an alert was'} acknowledged by mistake does not count`, async (world) => {
    const publicId = await anEscalatedAlert(world);
    granted(await world.calls.acknowledgeAlert({ publicId, as: ADA, all, wallMs: at(100) }));
    await drain(world, at(100));
    granted(await world.calls.reopenAlert({ publicId, as: ADA, all, wallMs: at(150) }));
    assert.equal(await roundHeardAt(world, at(150)), ['bob', 'carl']);
    assert.equal(await roundHeardAt(world, at(650) - 1), []);
    assert.equal(await roundHeardAt(world, at(650)), ['ada', 'bob', 'carl', 'carl']);
    assert.equal(await roundHeardAt(world, at(710) - 1), []);
    assert.equal(await roundHeardAt(world, at(710)), FROM_BOTH);
  });
}

it('the same holds for an alert that an event joins before its row has followed', async (world) => {
  await letAlertsEscalate(world);
  for (let nth = 1; nth < MANY; nth += 1) await world.post({ ...INSISTING, collapseKey: `disk ${nth}`, wallMs: at(1) });
  const publicId = await world.post(INSISTING);
  await drain(world, at(1));
  assert.equal(await roundHeardAt(world, at(60)), ['ada quietly', 'carl']);
  await insistByRota(world, { ...LONG, on_call: { rota: 'payments', widen_after: 600 } });
  granted(await world.calls.acknowledgeAlert({ publicId, as: BOB, all: true, wallMs: at(100) }));
  while (!(await world.calls.pruneStep({ wallMs: at(100) })).done);
  await drain(world, at(100));
  granted(await world.calls.reopenAlert({ publicId, as: BOB, all: true, wallMs: at(150) }));
  await world.post({ ...INSISTING, wallMs: at(601) });
  assert.equal(await heardAt(world, at(601)), ['ada quietly', 'bob', 'carl quietly']);
  while (!(await world.calls.pruneStep({ wallMs: at(601) })).done);
  assert.equal(await roundHeardAt(world, at(661)), ['ada', 'carl', 'carl']);
});

it('after the queue’s clock was set back an alert rings for everyone no later than it was to', async (world) => {
  await anEscalatedAlert(world);
  const backBy = (seconds: number) => ({ wallMs: at(120), steadyMs: at(seconds) - DAY_MS });
  await world.calls.runRound(backBy(0));
  await heardAt(world, at(0) - DAY_MS);
  await world.calls.runRound(backBy(600));
  assert.equal(await heardAt(world, at(600) - DAY_MS), FROM_BOTH);
});

run();
