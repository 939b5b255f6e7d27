import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, sentAt } from '../support/alerts.ts';
import { BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { granted } from '../support/refusals.ts';
import { NOW_MS, type World } from '../support/world.ts';

const { it, run } = conformance('loudness', anInsistingWorld);

/** NOW_MS is 09:30 in UTC. */
const MORNING = { from: '09:00', to: '12:00', timezone: 'UTC' } as const;

async function quietOf(world: World, publicId: string) {
  return granted(await world.calls.showEvent({ publicId, limit: 10 })).event.quiet;
}

it('an event and each of its deliveries say why they make no sound', async (world) => {
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', quiet: MORNING }));
  const standard = await world.post({});
  const opening = await world.post(INSISTING);
  const joining = await world.post(INSISTING);
  await world.join(BOB);
  granted(await world.calls.acknowledgeAlert({ publicId: opening, as: BOB }));
  const taken = await world.post(INSISTING);
  const over = await world.post({ level: 'success', collapseKey: 'disk' });
  const found = [];
  for (const publicId of [standard, opening, joining, taken, over]) found.push(await quietOf(world, publicId));
  assert.equal(found, [
    { reason: 'quiet_hours' },
    null,
    null,
    { reason: 'acknowledged', by: 'bob' },
    { reason: 'notice' },
  ]);
  await sentAt(world, NOW_MS);
  const { deliveries } = granted(await world.calls.showEvent({ publicId: standard, limit: 10 }));
  assert.equal(
    deliveries.map(({ quiet }) => quiet),
    [{ reason: 'quiet_hours' }],
  );
});

it('each of a hundred events at once follows its own channel, from the moment of a change', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  const posts = (wallMs: number) =>
    Promise.all(
      Array.from({ length: 100 }, (_, nth) => world.post({ channel: nth % 2 === 0 ? 'alerts' : 'builds', wallMs })),
    );
  const reasons = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => quietOf(world, id)));
    return [0, 1].map((channel) => [
      ...new Set(found.filter((_, nth) => nth % 2 === channel).map((quiet) => quiet?.reason ?? null)),
    ]);
  };
  assert.equal(await reasons(await posts(NOW_MS)), [[null], [null]]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', quiet: MORNING }));
  assert.equal(await reasons(await posts(NOW_MS)), [[null], ['quiet_hours']]);
  assert.equal(await reasons(await posts(NOW_MS + 3 * 3_600_000)), [[null], [null]]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', quiet: { ...MORNING, to: '13:00' } }));
  assert.equal(await reasons(await posts(NOW_MS + 3 * 3_600_000)), [[null], ['quiet_hours']]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', quiet: null }));
  assert.equal(await reasons(await posts(NOW_MS)), [[null], [null]]);
});

run();
