import * as assert from 'uvu/assert';
import type { Actor } from '../../../src/store/calls.ts';
import { conformance } from '../../support/engines.ts';
import { aTeamWithDevices, handOversAt, pushesAt, serveUntil } from '../../support/handovers.ts';
import { actorIn, signIn } from '../../support/people.ts';
import { granted } from '../../support/refusals.ts';
import { aRota, emailOf, inMs, PAYMENTS, T0 } from '../../support/rotas.ts';
import { userIdOf } from '../../support/workspace.ts';
import type { World } from '../../support/world.ts';

const { it, run } = conformance('on call: moved time', aTeamWithDevices);

const CHANGED = 'Your time on call for payments has changed';

it('a change of the list tells each person whose time moved, but for the author', async (world) => {
  await rotaR(world);
  const members = ['ada', 'bob', 'cyd', 'dan'].map(emailOf);
  granted(await world.calls.updateRota({ ...PAYMENTS, members, wallMs: T0 }, await actorOf(world, 'ada')));
  const sent = await noticesAt(world, T0);
  assert.equal(
    sent.map(({ to, title, isQuiet }) => [to, title, isQuiet]),
    ['bob', 'cyd', 'dan'].map((name) => [name, CHANGED, true]),
  );
  assert.is(
    sent.find(({ to }) => to === 'dan')?.text,
    ['Mon 15 Feb 09:00 to Mon 22 Feb 09:00 (Berlin): you instead of ada', 'Changed by ada.'].join('\n'),
  );
  assert.equal(await noticesAt(world, T0), [], 'once');
});

it('a member who takes a later time tells its person, and only once', async (world) => {
  await rotaR(world);
  const userId = await userIdOf(world.calls, emailOf('dan'));
  const time = { fromMs: inMs('2027-02-16T08:00Z'), untilMs: inMs('2027-02-17T08:00Z'), wallMs: T0 };
  granted(
    await world.calls.addOverride(
      { ...PAYMENTS, userId, member: emailOf('dan'), ...time },
      await actorOf(world, 'dan'),
    ),
  );
  const text = 'Tue 16 Feb 09:00 to Wed 17 Feb 09:00 (Berlin): dan instead of you\nChanged by dan.';
  assert.equal(
    (await noticesAt(world, T0)).map((push) => [push.to, push.text]),
    [['ada', text]],
  );
  assert.equal(await noticesAt(world, T0), []);
});

it('a time that is taken at once is left to the pushes of the handover', async (world) => {
  await rotaR(world);
  const userId = await userIdOf(world.calls, emailOf('dan'));
  const untilMs = inMs('2027-02-11T08:00Z');
  granted(
    await world.calls.addOverride(
      { ...PAYMENTS, userId, member: emailOf('dan'), untilMs, wallMs: T0 },
      await actorOf(world, 'dan'),
    ),
  );
  assert.equal(
    (await noticesAt(world, T0)).map(({ to, title }) => [to, title]),
    [
      ['cyd', 'You are no longer on call for payments'],
      ['dan', 'You are on call for payments until Thu 09:00 (Berlin)'],
    ],
  );
});

it('a change of the time zone moves everyone, and a change further ahead than 30 days tells nobody', async (world) => {
  await rotaR(world);
  granted(await world.calls.updateRota({ ...PAYMENTS, timezone: 'America/New_York', wallMs: T0 }));
  const sent = await noticesAt(world, T0);
  assert.equal(
    sent.map(({ to }) => to),
    ['ada', 'bob', 'cyd'],
  );
  assert.match(sent[0]?.text ?? '', 'Mon 15 Feb 03:00 to Mon 15 Feb 09:00 (New York): cyd instead of you');
  const later = { fromMs: inMs('2027-03-20T08:00Z'), untilMs: inMs('2027-03-21T08:00Z'), wallMs: T0 };
  granted(await world.calls.addOverride({ ...PAYMENTS, member: emailOf('dan'), ...later }));
  assert.equal(await noticesAt(world, T0), []);
});

it('a new name moves nobody, and a rota without announcements tells nobody', async (world) => {
  await rotaR(world);
  granted(await world.calls.updateRota({ ...PAYMENTS, name: 'Money', announce: false, wallMs: T0 }));
  granted(await world.calls.updateRota({ ...PAYMENTS, timezone: 'America/New_York', wallMs: T0 }));
  assert.equal(await noticesAt(world, T0), []);
});

it('the pushes of a large team are posted in small steps, and a change writes one row for them', async (world) => {
  const many = Array.from({ length: 26 }, (_, nth) => `p${nth}`);
  for (const name of many) {
    await world.join(emailOf(name));
    for (let nth = 0; nth < 20; nth += 1) {
      await world.addDevice({ token: `${name}x${nth}`.padStart(64, '0').replace(/[^0-9a-f]/g, 'a') }, emailOf(name));
    }
  }
  const members = ['ada', 'bob', 'cyd', 'dan', ...many];
  await aRota(world, '2027-01-04', { members, handover: { every: 'day', at: '09:00' } });
  await serveUntil(world, inMs('2027-01-03T00:00Z'), T0);
  granted(await world.calls.updateRota({ ...PAYMENTS, timezone: 'America/New_York', wallMs: T0 }));
  assert.is(await world.countRows('on_call_notice'), 1);
  let rows = await world.countRows('delivery');
  for (let steps = 0; (await world.calls.nextHandover({ wallMs: T0 })).inMs === 0; steps += 1) {
    await world.calls.handOver({ wallMs: T0 });
    const now = await world.countRows('delivery');
    assert.ok(now - rows <= 250 && steps < 10, `${now - rows} in step ${steps}`);
    rows = now;
  }
  assert.is(await world.countRows('on_call_notice'), 0);
});

run();

/** The rota R of the cases, on call since January, with all pushes until t0 sent. */
async function rotaR(world: World): Promise<void> {
  await aRota(world, '2027-01-04');
  await serveUntil(world, inMs('2027-01-03T00:00Z'), T0);
}

async function noticesAt(world: World, atMs: number) {
  await handOversAt(world, atMs);
  return pushesAt(world, atMs);
}

/** Returns a signed-in member. */
async function actorOf(world: World, name: string): Promise<Actor> {
  await signIn(world, name, emailOf(name), T0);
  return actorIn(name, emailOf(name));
}
