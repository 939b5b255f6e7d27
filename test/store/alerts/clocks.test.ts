import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt, stateOf } from '../../support/alerts.ts';
import { BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: clocks that are set', anInsistingWorld);
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The clock of the queue was set back by a day. */
const BACK_MS = NOW_MS - DAY_MS;

for (const byMs of [DAY_MS, -DAY_MS]) {
  it(`reminders keep their pace while the wall clock is set by ${byMs / DAY_MS} day`, async (world) => {
    const id = await world.post(INSISTING);
    await sentAt(world, NOW_MS);
    for (const nth of [1, 2, 3]) {
      const steadyMs = NOW_MS + nth * MINUTE_MS;
      const now = { wallMs: steadyMs + byMs, steadyMs };
      assert.is((await world.calls.runRound({ ...now, steadyMs: steadyMs - 1 })).reminders, 0);
      assert.is((await world.calls.runRound(now)).reminders, 1);
      assert.is((await sentAt(world, steadyMs)).length, 1);
    }
    assert.is(await stateOf(world, id), 'open');
    const { ended } = await world.calls.runRound({ wallMs: NOW_MS, steadyMs: NOW_MS + 50 * MINUTE_MS });
    assert.equal(ended, { expired: 1 });
  });
}

it('after the queue’s clock was set back an alert expires no later than a new one would', async (world) => {
  const id = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  await roundAt(world, BACK_MS);
  const { alert } = granted(await world.calls.showAlert({ publicId: id, wallMs: BACK_MS }));
  assert.equal([alert.state, alert.stops_at], ['open', '2026-11-20T10:20:00.123+00:00']);
  assert.is(await expiredAt(world, BACK_MS + 50 * MINUTE_MS), 1);
});

test('after the queue’s clock was set back an alert reaches the next channel no later than a new one would', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { repeat: 300, escalate: { after: 600, channel: 'leads' } });
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] }, BOB);
  await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  await roundAt(world, BACK_MS);
  await sentAt(world, BACK_MS);
  await roundAt(world, BACK_MS + 10 * MINUTE_MS);
  const sent = await sentAt(world, BACK_MS + 10 * MINUTE_MS);
  assert.equal(sent.map(({ event }) => event.channel).sort(), ['alerts', 'leads']);
});

it('after the queue’s clock was set back no alert stays quiet for longer than it was to', async (world) => {
  const snoozed = await world.post(INSISTING);
  const taken = await world.post({ ...INSISTING, collapseKey: 'net' });
  granted(await world.calls.acknowledgeAlert({ publicId: snoozed, forS: 600 }));
  granted(await world.calls.acknowledgeAlert({ publicId: taken }));
  await sentAt(world, NOW_MS);
  await roundAt(world, NOW_MS + MINUTE_MS);
  assert.is((await world.calls.nextRound({ wallMs: BACK_MS })).inMs, 0);
  const statesAt = async (atMs: number) => {
    await roundAt(world, atMs);
    return [await stateOf(world, snoozed), await stateOf(world, taken)];
  };
  assert.equal(await statesAt(BACK_MS), ['acknowledged', 'acknowledged']);
  assert.is((await world.calls.nextRound({ wallMs: BACK_MS })).inMs, 10 * MINUTE_MS);
  assert.equal(await statesAt(BACK_MS + 10 * MINUTE_MS), ['open', 'acknowledged']);
  assert.equal(await statesAt(BACK_MS + 8 * HOUR_MS), ['expired', 'resolved']);
});

it('if the queue’s clock was set on, an alert whose time is over says so', async (world) => {
  await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  assert.is(await expiredAt(world, NOW_MS + DAY_MS), 1);
  const [notice, ...more] = await sentAt(world, NOW_MS + DAY_MS);
  assert.equal([notice?.event.alert?.state, more], ['expired', []]);
});

run();

async function expiredAt(world: World, atMs: number): Promise<number> {
  return (await roundAt(world, atMs)).ended.expired ?? 0;
}
