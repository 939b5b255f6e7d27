/** The person on call gets an alert, and then no further push. Everyone is rung once, also if the policy has changed. */

import * as assert from 'uvu/assert';
import { toTimestamp } from '../../../src/values/timestamp.ts';
import { INSISTING, insist, MINUTE_MS, roundAt } from '../../support/alerts.ts';
import { CARL } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { anOnCallWorld, deviceOf, heardAt, insistByRota } from '../../support/on-call-channel.ts';
import { granted } from '../../support/refusals.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { it, run } = conformance('on call: widened once', anOnCallWorld);

const ALERTS = { workspace: 'acme', channel: 'alerts' } as const;
const LEADS = { workspace: 'acme', channel: 'leads' } as const;
const LONG = { repeat: 3_600, until: 7_200 } as const;
const EVERYONE = ['ada', 'bob', 'carl'];
const BOB_ALONE = ['ada quietly', 'bob', 'carl quietly'];
const CARL_ALONE = ['ada quietly', 'carl'];
const SLOWLY = { on_call: { rota: 'payments', widen_after: 3_600 } } as const;
const SECOND_MS = 1_000;
/** More pushes of a channel than a look considers. */
const MANY = 12;
const RETRY_MS = 50 * MINUTE_MS;
const RETRY = { state: 'pending', reason: 'TooManyRequests', retryInMs: RETRY_MS, spent: true } as const;
const LATER_MS = NOW_MS + MINUTE_MS;
const MOST_ROUNDS = 10;

/** Runs rounds while one is due at that time. Returns how many reminders they made. */
async function remindersAt(world: World, wallMs: number): Promise<number> {
  let reminders = 0;
  for (let rounds = 0; rounds < MOST_ROUNDS && (await world.calls.nextRound({ wallMs })).inMs === 0; rounds += 1)
    reminders += (await roundAt(world, wallMs)).reminders;
  return reminders;
}

async function leave(world: World, name: 'bob' | 'carl', place: typeof ALERTS | typeof LEADS): Promise<void> {
  granted(await world.calls.unsubscribe({ ...(await deviceOf(world, name)), ...place }));
}

/** Lets alerts reach `leads` a minute later, where Carl is on call, and Ada listens as well. */
async function escalateToLeads(world: World): Promise<void> {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'leads' }));
  for (const name of ['ada', 'carl'] as const)
    granted(await world.calls.subscribe({ ...(await deviceOf(world, name)), ...LEADS }));
  const handover = { every: 'day', at: '09:00' } as const;
  granted(await world.calls.createRota({ workspace: 'acme', slug: 'managers', members: [CARL], handover }));
  await insistByRota(world, { ...LONG, on_call: { rota: 'managers', widen_after: 3_600 } }, 'leads');
  await insistByRota(world, { ...LONG, ...SLOWLY, escalate: { channel: 'leads', after: 60 } });
}

it('an alert of a channel whose rota was removed widens early in one round', async (world) => {
  await insistByRota(world, LONG);
  await world.post(INSISTING);
  assert.equal(await heardAt(world), BOB_ALONE);
  await insist(world, LONG);
  await leave(world, 'bob', ALERTS);
  assert.is(await remindersAt(world, LATER_MS), 1);
  assert.equal(await heardAt(world, LATER_MS), ['ada', 'carl']);
  assert.is(await remindersAt(world, LATER_MS + MINUTE_MS), 0);
});

it('an alert of a channel whose `widen_after` was lowered widens early in one round', async (world) => {
  await insistByRota(world, { ...LONG, ...SLOWLY });
  await world.post(INSISTING);
  assert.equal(await heardAt(world), BOB_ALONE);
  await insistByRota(world, { ...LONG, on_call: { rota: 'payments', widen_after: 60 } });
  await leave(world, 'bob', ALERTS);
  assert.is(await remindersAt(world, LATER_MS), 1);
  assert.equal(await heardAt(world, LATER_MS), ['ada', 'carl']);
  assert.is(await remindersAt(world, LATER_MS + 2 * MINUTE_MS), 0);
});

it('after a round for everyone, a joining event rings for everyone, also if `widen_after` was lowered', async (world) => {
  await insistByRota(world, { repeat: 120, on_call: { rota: 'payments', widen_after: 3_000 } });
  await world.post(INSISTING);
  assert.equal(await heardAt(world), BOB_ALONE);
  await insistByRota(world, { repeat: 120, on_call: { rota: 'payments', widen_after: 60 } });
  const bob = { ...(await deviceOf(world, 'bob')), ...ALERTS };
  const roundMs = NOW_MS + 2 * MINUTE_MS;
  granted(await world.calls.subscribe({ ...bob, mutedUntil: toTimestamp(roundMs + 1) }));
  assert.is(await remindersAt(world, roundMs), 1);
  assert.equal(await heardAt(world, roundMs), ['ada', 'carl']);
  await world.post({ ...INSISTING, wallMs: roundMs + MINUTE_MS });
  assert.equal(await heardAt(world, roundMs + MINUTE_MS), EVERYONE);
});

it('an alert that has rung for everyone since its rota was removed does not widen early', async (world) => {
  await insistByRota(world, { repeat: 120, on_call: { rota: 'payments', widen_after: 3_000 } });
  await world.post(INSISTING);
  assert.equal(await heardAt(world), BOB_ALONE);
  await insist(world, { repeat: 120 });
  const roundMs = NOW_MS + 2 * MINUTE_MS;
  assert.is(await remindersAt(world, roundMs), 1);
  assert.equal(await heardAt(world, roundMs), EVERYONE);
  await leave(world, 'bob', ALERTS);
  assert.is(await remindersAt(world, roundMs + MINUTE_MS), 0);
});

it('alerts that have escalated one after the other widen early in one round', async (world) => {
  await escalateToLeads(world);
  for (let nth = 0; nth < 5; nth += 1) {
    const wallMs = NOW_MS + nth * SECOND_MS;
    await world.post({ ...INSISTING, collapseKey: `disk ${nth}`, wallMs });
    await heardAt(world, wallMs);
  }
  for (let nth = 0; nth < 5; nth += 1) {
    const wallMs = LATER_MS + nth * SECOND_MS;
    await roundAt(world, wallMs);
    assert.equal(await heardAt(world, wallMs), CARL_ALONE);
  }
  await leave(world, 'carl', LEADS);
  assert.is(await remindersAt(world, LATER_MS + MINUTE_MS), 1);
  assert.equal(await heardAt(world, LATER_MS + MINUTE_MS), ['ada', 'bob']);
  assert.is(await remindersAt(world, LATER_MS + 2 * MINUTE_MS), 0);
});

it('hundreds of alerts that have escalated widen early in one round', async (world) => {
  await escalateToLeads(world);
  for (let nth = 0; nth < 250; nth += 1) await world.post({ ...INSISTING, collapseKey: `disk ${nth}` });
  while ((await world.calls.nextRound({ wallMs: LATER_MS })).inMs === 0) await roundAt(world, LATER_MS);
  while ((await heardAt(world, LATER_MS)).length > 0);
  await leave(world, 'carl', LEADS);
  assert.is(await remindersAt(world, LATER_MS + MINUTE_MS), 1);
  assert.is(await remindersAt(world, LATER_MS + 2 * MINUTE_MS), 0);
});

it('an alert widens early, however many newer alerts have ended', async (world) => {
  await insistByRota(world, { ...LONG, ...SLOWLY });
  await world.post(INSISTING);
  await heardAt(world, NOW_MS, RETRY);
  for (let nth = 1; nth <= MANY; nth += 1) {
    const [wallMs, collapseKey] = [NOW_MS + nth * SECOND_MS, `disk ${nth}`];
    await world.post({ ...INSISTING, collapseKey, wallMs });
    assert.equal(await heardAt(world, wallMs), BOB_ALONE);
    await world.post({ ...INSISTING, level: 'success', collapseKey, wallMs });
    await heardAt(world, wallMs);
  }
  await remindersAt(world, NOW_MS + RETRY_MS - 1);
  await heardAt(world, NOW_MS + RETRY_MS, { state: 'failed', reason: 'BadTopic' });
  assert.is(await remindersAt(world, NOW_MS + RETRY_MS), 1);
});

it('an alert that has escalated widens early, however many newer alerts have ended', async (world) => {
  await escalateToLeads(world);
  await world.post(INSISTING);
  await heardAt(world);
  await roundAt(world, LATER_MS);
  assert.equal(await heardAt(world, LATER_MS, RETRY), CARL_ALONE);
  for (let nth = 1; nth <= MANY; nth += 1) {
    const [wallMs, collapseKey] = [LATER_MS + nth * 2 * MINUTE_MS, `disk ${nth}`];
    await world.post({ ...INSISTING, collapseKey, wallMs });
    await heardAt(world, wallMs);
    await roundAt(world, wallMs + MINUTE_MS);
    assert.equal(await heardAt(world, wallMs + MINUTE_MS), CARL_ALONE);
    await world.post({ ...INSISTING, level: 'success', collapseKey, wallMs: wallMs + MINUTE_MS });
    await remindersAt(world, wallMs + MINUTE_MS);
    await heardAt(world, wallMs + MINUTE_MS);
  }
  await remindersAt(world, LATER_MS + RETRY_MS - 1);
  await heardAt(world, LATER_MS + RETRY_MS, { state: 'failed', reason: 'BadTopic' });
  assert.is(await remindersAt(world, LATER_MS + RETRY_MS), 1);
});

it('a channel that only ended alerts have reached is not watched', async (world) => {
  await escalateToLeads(world);
  await world.post(INSISTING);
  await roundAt(world, LATER_MS);
  assert.is(await world.countRows('watched_channel'), 2);
  await world.post({ ...INSISTING, level: 'success', wallMs: LATER_MS });
  await remindersAt(world, LATER_MS);
  assert.is(await world.countRows('watched_channel'), 0);
});

run();
