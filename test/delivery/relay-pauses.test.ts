import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Batch, Outcome, Sent } from '../../src/push.ts';
import { countsOf, outcomesFor } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'ECONNREFUSED' };
const ROUTE = 'apns_production';
const PROBE_MS = 10_000;

test('while its pushes are claimed sends none of them, and all of them once it is resumed', async () => {
  await using sim = await aRelay({ devices: { ios: 250 } });
  sim.onClaimed = ({ length }) => length > 0 && sim.hold(ROUTE, true);
  const both = [await sim.world.post({ urgency: 'time_sensitive' }), await sim.post()];
  await sim.run(PROBE_MS);
  assert.is(sim.batches.length, 0);

  sim.onClaimed = () => {};
  sim.hold(ROUTE, false);
  await sim.run(0);
  for (const publicId of both) assert.is((await countsOf(sim.world, publicId)).accepted, 250);
});

test('while a probe is chosen does not send it', async () => {
  await using sim = await aRelay({ devices: { ios: 30 } });
  sim.answer = (batch) => outcomesFor(batch, DOWN);
  const publicId = await sim.post();
  await sim.run(0);
  const before = sim.batches.length;
  sim.onClaimed = ({ length }) => length > 0 && sim.hold(ROUTE, true);
  await sim.run(10 * PROBE_MS);
  assert.is(sim.batches.length, before);

  sim.onClaimed = () => {};
  sim.answer = (batch) => outcomesFor(batch, ACCEPTED);
  sim.hold(ROUTE, false);
  await sim.run(PROBE_MS);
  assert.is((await countsOf(sim.world, publicId)).accepted, 30);
});

test('takes waiting pushes back from a delivery thread untried, and leaves other routes alone', async () => {
  await using sim = await aRelay({ devices: { ios: 250, android: 1 } });
  sim.answer = unlessRevoked;
  sim.hang = () => true;
  const publicId = await sim.post();
  await sim.run(0);
  sim.hold(ROUTE, true);
  sim.hang = () => false;
  sim.release();
  await sim.run(PROBE_MS);
  const { accepted, pending } = await countsOf(sim.world, publicId);
  assert.equal([accepted, pending], [1, 250]);

  sim.hold(ROUTE, false);
  await sim.run(0);
  assert.is((await countsOf(sim.world, publicId)).accepted, 251);
  assert.is(sim.world.db.prepare('SELECT count(*) FROM attempt').pluck().get(), 0);
});

test.run();

/** Answers like a delivery thread: pushes revoked by then were not written. */
function unlessRevoked(batch: Batch): readonly Sent[] {
  return outcomesFor(batch, ACCEPTED).map((sent) => ({
    ...sent,
    outcome: batch.revoked[sent.index] === 1 ? RECALLED : ACCEPTED,
  }));
}
