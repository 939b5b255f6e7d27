import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { aPatient } from '../../support/heartbeats.ts';
import { granted } from '../../support/refusals.ts';
import { releasedAt } from '../../support/scheduled.ts';
import { HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { it, run } = conformance('maintenance: other events', aPatient);
const CHANNEL = { workspace: 'acme', slug: 'alerts' } as const;
const MINUTE_MS = 60_000;

/** Reasons why the events of a heartbeat or of a later time are quiet, the oldest first; without notices. */
async function reasonsOf(world: World) {
  const { events } = granted(await world.calls.listEvents({ workspace: 'acme', limit: 50 }));
  const own = events.filter(({ title }) => !/^Maintenance/.test(title));
  return own.map(({ quiet }) => quiet?.reason ?? null).toReversed();
}

it('a heartbeat that is missed or fails during maintenance posts quiet events, and loud ones after it', async (world) => {
  await world.expect('backup', { every: 60, grace: 60 });
  const failing = await world.expect('report', { every: 86_400, grace: 3_600 });
  granted(await world.calls.createMaintenance({ ...CHANNEL, for: 3_600, ...world.now() }));
  await world.pass(5 * MINUTE_MS);
  await world.ping(failing, { kind: 'fail' });
  assert.equal(await reasonsOf(world), ['maintenance', 'maintenance']);
  await world.calls.runRound(world.now());
  await world.pass(HOUR_MS);
  await world.ping(failing, {});
  await world.ping(failing, { kind: 'fail' });
  assert.equal((await reasonsOf(world)).at(-1), null);
});

it('an event that is sent later is quiet if its time falls into a window, and rings if only its post does', async (world) => {
  const later = { wallMs: NOW_MS, steadyMs: NOW_MS };
  granted(await world.calls.createMaintenance({ ...CHANNEL, fromMs: NOW_MS + HOUR_MS, for: 3_600, ...later }));
  await world.accept({ sendAtMs: NOW_MS + HOUR_MS + MINUTE_MS });
  assert.is(await releasedAt(world, NOW_MS + HOUR_MS + MINUTE_MS), 1);
  assert.equal(await reasonsOf(world), ['maintenance']);
  await world.accept({ sendAtMs: NOW_MS + 3 * HOUR_MS, wallMs: NOW_MS + HOUR_MS + 2 * MINUTE_MS });
  assert.is(await releasedAt(world, NOW_MS + 3 * HOUR_MS), 1);
  assert.equal(await reasonsOf(world), ['maintenance', null]);
});

run();
