import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt } from '../../support/alerts.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('alerts that a channel no longer reminds of', anInsistingWorld);

const ENDED = 'Its channel no longer reminds of it.';
const CHANGES = [{ insist: null }, { status: 'inactive' }] as const;

/** Returns the pushes by then, after all rounds that are due. */
async function shownAt(world: World, minute: number) {
  const atMs = NOW_MS + minute * MINUTE_MS;
  for (let inMs: number | null = 0; inMs === 0; ) {
    await roundAt(world, atMs);
    ({ inMs } = await world.calls.nextRound({ wallMs: atMs, steadyMs: atMs }));
  }
  return (await sentAt(world, atMs)).map(({ event }) => event);
}

function change(world: World, with_: (typeof CHANGES)[number], minute: number) {
  const atMs = NOW_MS + minute * MINUTE_MS;
  return world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', ...with_, wallMs: atMs, steadyMs: atMs });
}

test('a notice ends each alert that is shown, quietly and in its place, in all channels that it has reached', async (engine) => {
  for (const with_ of CHANGES) {
    const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
    await insist(world, { escalate: { after: 60, channel: 'leads' } });
    await world.join(BOB);
    await world.addDevice({ token: tokenOf(8), subscribe: ['leads'] }, BOB);
    const id = await world.post(INSISTING);
    await shownAt(world, 0);
    await shownAt(world, 1);
    granted(await change(world, with_, 2));
    const shown = await shownAt(world, 2);
    assert.equal(
      shown.map(({ channel, description, quiet, alert }) => [channel, description, quiet, alert?.id, alert?.state]),
      ['alerts', 'leads'].map((channel) => [channel, ENDED, true, id, 'resolved']),
    );
    assert.equal(await shownAt(world, 9), [], 'once');
  }
});

it('a bundle that is shown ends as well', async (world) => {
  for (const collapseKey of ['one', 'two', 'three']) await world.post({ ...INSISTING, collapseKey });
  await shownAt(world, 0);
  assert.equal(
    (await shownAt(world, 1)).map(({ title }) => title),
    ['3 open alerts'],
  );
  granted(await change(world, { insist: null }, 2));
  const shown = await shownAt(world, 2);
  assert.ok(shown.every(({ quiet }) => quiet));
  assert.equal(shown.filter(({ description }) => description === ENDED).length, 3);
  assert.equal(
    shown.filter(({ alert }) => alert?.open !== undefined).map(({ title, alert }) => [title, alert?.open]),
    [['No open alerts', 0]],
  );
});

it('the newest alerts of a storm get a notice, and all of them end', async (world) => {
  for (let n = 0; n < 30; n += 1) await world.post({ ...INSISTING, collapseKey: `disk ${n}` });
  await shownAt(world, 0);
  granted(await change(world, { insist: null }, 2));
  const shown = await shownAt(world, 2);
  assert.equal(shown.filter(({ description }) => description === ENDED).length, 20);
  assert.is((await world.calls.countAlerts({})).open, 0);
});

it('a push of an alert that somebody has says who', async (world) => {
  const first = await world.post(INSISTING);
  await shownAt(world, 0);
  granted(await world.calls.acknowledgeAlert({ publicId: first, as: ADA }));
  await world.post(INSISTING);
  const joined = (await sentAt(world, NOW_MS)).map(({ event }) => event).find(({ alert }) => alert?.by !== undefined);
  assert.equal([joined?.quiet, joined?.alert?.state, joined?.alert?.by], [true, 'acknowledged', 'ada']);
});

run();
