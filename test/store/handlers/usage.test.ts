import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { aWorld } from '../../support/world.ts';

const { it, run } = conformance('usage', aWorld);

it('usage shows this month first, then the twelve before it, without gaps', async (world) => {
  await world.accept({ wallMs: Date.UTC(2025, 9, 31, 23, 59, 59, 999) });
  await world.accept({ wallMs: Date.UTC(2025, 10, 1) });
  await world.accept({ wallMs: Date.UTC(2026, 10, 1) });
  await world.accept();
  const { months, used, resets_at } = await world.calls.readUsage({ workspaceId: world.workspaceId });
  assert.is(months.length, 13);
  assert.equal(months[0], { month: '2026-11', events: 2 });
  assert.equal(months[1], { month: '2026-10', events: 0 });
  assert.equal(months[12], { month: '2025-11', events: 1 });
  assert.is(used, 2);
  assert.is(resets_at, '2026-12-01T00:00:00.000+00:00');
});

it('what is left of the allowance is never negative, even after the plan has shrunk', async (world) => {
  await world.accept();
  await world.accept();
  granted(await world.calls.setPlan({ name: 'small', monthlyEvents: 1 }));
  granted(await world.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  const { monthly_event_allowance, used, remaining } = await world.calls.readUsage({
    workspaceId: world.workspaceId,
  });
  assert.equal([monthly_event_allowance, used, remaining], [1, 2, 0]);
});

it('without a limit no remainder is counted, and each workspace counts alone', async (world) => {
  const { workspaceId: other } = await world.addWorkspace('umbrella');
  await world.accept();
  const usage = await world.calls.readUsage({ workspaceId: other });
  assert.equal([usage.monthly_event_allowance, usage.used, usage.remaining], [null, 0, null]);
});

run();
