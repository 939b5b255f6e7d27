import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outcome } from '../../src/push.ts';
import { countsOf, outcomesFor } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';

const HOUR_MS = 3_600_000;
const ACCEPTED: Outcome = { kind: 'accepted' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'ECONNREFUSED' };

const outage = suite('a relay in an outage');

outage('an outage costs one probe at a time, and everything goes out once it ends, links included', async () => {
  const sim = await aRelay({ devices: { ios: 1_000 } });
  let isDown = true;
  sim.answer = (batch) => outcomesFor(batch, isDown ? DOWN : ACCEPTED);
  const publicId = await sim.post({ links: { url: 'https://example.com/a' } });
  await sim.run(4 * HOUR_MS);
  const probes = sim.sentAfterMs().slice(10);
  const waits = probes.slice(1).map((atMs, place) => atMs - (probes[place] ?? 0));
  assert.ok(waits.length > 1_000 && Math.min(...waits) >= 5_000 && Math.max(...waits) <= 10_001, waits.join());
  assert.ok(
    sim.batches.slice(10).every(({ targets }) => targets.length === 1),
    'probes are single pushes',
  );
  isDown = false;
  await sim.run(16_000);
  assert.is((await countsOf(sim.world, publicId)).accepted, 1_000);
  assert.ok(sim.batches.every(({ events }) => events[0]?.event.links.url === 'https://example.com/a'));
  assert.is(sim.world.db.prepare('SELECT count(*) FROM attempt').pluck().get(), 0, 'nothing was spent');
  await sim.stop();
});

outage('a probe that falls due between two readings of the clock is sent all the same', async () => {
  for (const readingMs of [0.1, 0.3]) {
    const sim = await aRelay({ readingMs, devices: { ios: 10 } });
    sim.answer = (batch) => outcomesFor(batch, DOWN);
    await sim.post();
    await sim.run(HOUR_MS);
    const before = sim.batches.length;
    await sim.run(HOUR_MS);
    assert.ok(sim.batches.length > before + 2, `probes stopped after ${before} at ${readingMs} ms a reading`);
    await sim.stop();
  }
});

outage('a push that waits for the quota is sent even if its turn comes between two readings of the clock', async () => {
  for (const readingMs of [0.1, 0.3]) {
    const sim = await aRelay({ readingMs, perMinute: 60, devices: { ios: 200 } });
    const publicId = await sim.post();
    await sim.run(HOUR_MS / 4);
    assert.is((await countsOf(sim.world, publicId)).accepted, 200, `${readingMs} ms a reading`);
    await sim.stop();
  }
});

outage('providers get the rest of an event, and a paused one keeps no event alive', async () => {
  const sim = await aRelay({ devices: { ios: 1, android: 1 } });
  sim.answer = (batch) => outcomesFor(batch, batch.route === 'fcm' ? ACCEPTED : DOWN);
  const publicId = await sim.post({ expiresInS: 60 });
  await sim.run(3 * 60_000);
  assert.equal([(await countsOf(sim.world, publicId)).accepted, (await countsOf(sim.world, publicId)).expired], [1, 1]);
  const lives = sim.batches.map(({ events: [only] }) => only?.ttlMs ?? 0);
  assert.ok(lives.length > 2 && lives.every((ms) => ms > 0 && ms <= 60_000), lives.join());
  await sim.stop();
});

outage('a provider that never answers holds up neither the other nor urgent pushes on its own route', async () => {
  const sim = await aRelay({ devices: { ios: 5_000, android: 1 } });
  sim.hang = (batch) => batch.route === 'apns_production' && batch.lane === 'standard';
  await sim.post();
  await sim.run(0);
  const urgent = await sim.post({ urgency: 'time_sensitive' });
  await sim.run(0);
  assert.ok(sim.batches.some(({ route, events }) => route === 'fcm' && events[0]?.event.publicId === urgent));
  assert.ok(
    sim.batches.some(({ route, events }) => route === 'apns_production' && events[0]?.event.publicId === urgent),
  );
  sim.release();
  await sim.stop();
});

outage('pushes that are lost because the threads end with the server pause no route', async () => {
  const sim = await aRelay({ devices: { ios: 100 } });
  sim.hang = () => true;
  await sim.post();
  await sim.run(60_000);
  await sim.stop();
  sim.answer = (batch) => outcomesFor(batch, { kind: 'deferred', reason: 'worker_lost', pace: 'fault' });
  sim.release();
  await sim.run(0);
  assert.equal(sim.logged, []);
});

outage('a thread that loses some targets of its batch loses no push', async () => {
  const sim = await aRelay({ devices: { ios: 10 } });
  sim.answer = (batch) => outcomesFor(batch, ACCEPTED).slice(0, sim.batches.length === 1 ? 4 : undefined);
  const publicId = await sim.post();
  await sim.run(HOUR_MS);
  assert.is((await countsOf(sim.world, publicId)).accepted, 10);
  await sim.stop();
});

outage.run();
