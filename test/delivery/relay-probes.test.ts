import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Batch, Outcome } from '../../src/push.ts';
import { ADA } from '../support/cast.ts';
import { countsOf, outcomesFor } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';
import { tokenOf } from '../support/workspace.ts';
import { aWorld } from '../support/world.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'ECONNREFUSED' };
/** Pushes due within this time are the first probe, or the first few. */
const PROBE_MS = 10_000;

test('a device that was accepted before is probed first, even before more urgent pushes', async () => {
  const { sim, post } = await aTown();
  sim.answer = (batch) => outcomesFor(batch, ACCEPTED);
  await post('beta');
  await sim.run(0);
  sim.answer = (batch) => outcomesFor(batch, of(batch, 'beta') ? ACCEPTED : DOWN);
  for (let events = 0; events < 30; events += 1) await post('acme', 'time_sensitive');
  await sim.run(0);
  const sent = sim.batches.length;
  const waiting = await post('beta');
  await sim.run(PROBE_MS);
  assert.is((await countsOf(sim.world, waiting)).accepted, 1);
  assert.is(sim.batches[sent]?.events[0]?.event.publicId, waiting, 'it was the first probe');
  await sim.stop();
});

test('if none was accepted before, workspaces and lanes take turns, and one push is sent at a time', async () => {
  const { sim, post } = await aTown();
  sim.answer = (batch) => outcomesFor(batch, DOWN);
  for (let events = 0; events < 30; events += 1) await post('acme', 'time_sensitive');
  await post('acme');
  await post('beta');
  await post('gamma', 'time_sensitive');
  await sim.run(0);
  const before = sim.batches.length;
  await sim.run(12 * PROBE_MS);
  const probed = sim.batches.slice(before);
  assert.ok(probed.length >= 12 && probed.every(({ targets }) => targets.length === 1));
  const seen = new Set(probed.slice(0, 8).map(({ lane, events: [only] }) => `${only?.event.workspace} ${lane}`));
  assert.equal([...seen].sort(), ['acme standard', 'acme urgent', 'beta standard', 'gamma urgent']);
  const devices = probed.filter((batch) => of(batch, 'acme')).map(({ targets: [only] }) => only?.deviceId);
  assert.is(new Set(devices).size, devices.length, 'another device each time');
  await sim.stop();
});

test('the candidates of a probe are not spent, and all of them go out once the provider is back', async () => {
  const { sim, post } = await aTown();
  sim.answer = (batch) => outcomesFor(batch, DOWN);
  const publicId = await post('acme');
  await sim.run(10 * PROBE_MS);
  sim.answer = (batch) => outcomesFor(batch, ACCEPTED);
  await sim.run(2 * PROBE_MS);
  assert.is((await countsOf(sim.world, publicId)).accepted, 60);
  assert.is(sim.world.db.prepare('SELECT count(*) FROM attempt').pluck().get(), 0);
  await sim.stop();
});

test('after an outage the first second sees a part of what full speed would', async () => {
  const { sim, post } = await aTown();
  sim.answer = (batch) => outcomesFor(batch, DOWN);
  for (let events = 0; events < 30; events += 1) await post('acme');
  await sim.run(0);
  const before = sim.batches.length;
  const sent = () => sim.batches.slice(before).reduce((sum, { targets }) => sum + targets.length, 0);
  sim.answer = (batch) => outcomesFor(batch, ACCEPTED);
  sim.hang = () => sim.batches.length > before + 1;
  await sim.run(7_500 + 300);
  assert.ok(sent() > 1 && sent() <= 1 + 32, `${sent()} pushes`);
  await sim.run(5_000);
  assert.is(sent(), 1 + 800);
  sim.hang = () => false;
  sim.release();
  await sim.run(1_000);
  await sim.stop();
});

test.run();

/** `acme` has more devices than a probe is chosen from, `beta` and `gamma` one each. */
async function aTown() {
  const world = await aWorld({ ttlMs: 86_400_000, devices: { ios: 60 } });
  const ids: Record<string, number> = { acme: world.workspaceId };
  for (const [n, slug] of ['beta', 'gamma'].entries()) {
    const { workspaceId, addDevice } = await world.addWorkspace(slug, { channels: ['alerts'], owner: ADA });
    await addDevice({ token: tokenOf(10_000 + n) });
    ids[slug] = workspaceId;
  }
  const sim = await aRelay({ world });
  return {
    sim,
    post: (slug: string, urgency: 'standard' | 'time_sensitive' = 'standard') =>
      sim.post({ urgency, ...(ids[slug] !== undefined && { workspaceId: ids[slug] }) }),
  };
}

function of({ events: [first] }: Batch, workspace: string): boolean {
  return first?.event.workspace === workspace;
}
