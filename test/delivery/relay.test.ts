import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outcome } from '../../src/push.ts';
import { answers, audience, backlog, countsOf } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACCEPTED: Outcome = { kind: 'accepted' };
const BUSY: Outcome = { kind: 'deferred', reason: 'InternalServerError', pace: 'busy' };
const FAULT: Outcome = { kind: 'deferred', reason: 'timeout', pace: 'fault' };
const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'ECONNREFUSED' };

const relay = suite('relay');

relay('sends an event to every device and lets go of its links', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 250, android: 1 });
  const publicId = sim.post({ links: { url: 'https://example.com/a' } });
  await sim.run(0);
  assert.is(countsOf(sim.store, publicId).accepted, 251);
  assert.ok(sim.batches.every(({ events }) => events[0]?.event.links.url === 'https://example.com/a'));
  assert.is(sim.links.bytes, 0);
  await sim.stop();
});

relay('tries a deferred push again at doubling intervals until it is accepted', async () => {
  const sim = aRelay({ random: 1 });
  audience(sim.store, { ios: 1 });
  sim.answer = (batch) => answers(batch, sim.batches.length > 4 ? ACCEPTED : FAULT);
  const publicId = sim.post();
  await sim.run(HOUR_MS);
  assert.equal(sim.sentAfterMs(), [0, 5_000, 15_000, 35_000, 75_000]);
  assert.is(countsOf(sim.store, publicId).accepted, 1);
  await sim.stop();
});

relay('a busy provider is asked at the slower pace, and its Retry-After is honoured', async () => {
  const sim = aRelay({ random: 0 });
  audience(sim.store, { android: 1 });
  const told: Outcome[] = [BUSY, { ...BUSY, retryAfterS: 90 } as Outcome, ACCEPTED];
  sim.answer = (batch) => answers(batch, told[sim.batches.length - 1] ?? ACCEPTED);
  sim.post();
  await sim.run(HOUR_MS);
  assert.equal(sim.sentAfterMs(), [0, 12_000, 102_000]);
  await sim.stop();
});

relay('a push that is never accepted expires at its time to live, and not earlier', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 1 });
  sim.answer = (batch) => answers(batch, FAULT);
  const publicId = sim.post({ links: { url: 'https://example.com/a' } });
  await sim.run(DAY_MS - 1);
  assert.is(countsOf(sim.store, publicId).pending, 1);
  await sim.run(2 * HOUR_MS);
  assert.is(countsOf(sim.store, publicId).expired, 1);
  assert.is(sim.links.bytes, 0);
  await sim.stop();
});

relay('an outage costs one probe at a time, and everything goes out once it ends, links included', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 1_000 });
  let isDown = true;
  sim.answer = (batch) => answers(batch, isDown ? DOWN : ACCEPTED);
  const publicId = sim.post({ links: { url: 'https://example.com/a' } });
  await sim.run(4 * HOUR_MS);
  const before = sim.batches.length;
  assert.ok(before < 60, `${before} batches in four hours`);
  assert.ok(
    sim.batches.slice(10).every(({ targets }) => targets.length === 1),
    'probes are single pushes',
  );
  isDown = false;
  await sim.run(HOUR_MS);
  assert.is(countsOf(sim.store, publicId).accepted, 1_000);
  assert.ok(sim.batches.every(({ events }) => events[0]?.event.links.url === 'https://example.com/a'));
  assert.is(sim.store.db.prepare('SELECT count(*) FROM attempt').pluck().get(), 0, 'nothing was spent');
  await sim.stop();
});

relay('a paused provider does not hold up the other', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 10, android: 10 });
  sim.answer = (batch) => answers(batch, batch.route === 'fcm' ? ACCEPTED : DOWN);
  const publicId = sim.post();
  await sim.run(HOUR_MS);
  assert.is(countsOf(sim.store, publicId).accepted, 10);
  assert.is(countsOf(sim.store, publicId).pending, 10);
  await sim.stop();
});

relay('providers get what is left of an event, and a paused one keeps no event alive', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 1, android: 1 });
  sim.answer = (batch) => answers(batch, batch.route === 'fcm' ? ACCEPTED : DOWN);
  const publicId = sim.post({ expiresInS: 60 });
  await sim.run(3 * 60_000);
  assert.equal([countsOf(sim.store, publicId).accepted, countsOf(sim.store, publicId).expired], [1, 1]);
  const lives = sim.batches.map(({ events: [only] }) => only?.ttlMs ?? 0);
  assert.ok(lives.length > 2 && lives.every((ms) => ms > 0 && ms <= 60_000), lives.join());
  await sim.stop();
});

relay('a provider that never answers holds up neither the other nor urgent pushes on its own route', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 5_000, android: 1 });
  sim.hang = (batch) => batch.route === 'apns_production' && batch.lane === 'standard';
  sim.post();
  await sim.run(0);
  const urgent = sim.post({ urgency: 'time_sensitive' });
  await sim.run(0);
  assert.ok(sim.batches.some(({ route, events }) => route === 'fcm' && events[0]?.event.publicId === urgent));
  assert.ok(
    sim.batches.some(({ route, events }) => route === 'apns_production' && events[0]?.event.publicId === urgent),
  );
  sim.release();
  await sim.stop();
});

relay('what is lost because the threads end with the server speaks of no provider', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 100 });
  sim.hang = () => true;
  sim.post();
  await sim.run(60_000);
  await sim.stop();
  sim.answer = (batch) => answers(batch, { kind: 'deferred', reason: 'worker_lost', pace: 'fault' });
  sim.release();
  await sim.run(0);
  assert.equal(sim.logged, []);
});

relay('a wrong environment deactivates nobody, and the pushes go out once it is mended', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 500 });
  const refused: Outcome = { kind: 'unregistered', reason: 'BadDeviceToken', suspect: true };
  let isWrong = true;
  sim.answer = (batch) => answers(batch, isWrong ? refused : ACCEPTED);
  const publicId = sim.post();
  await sim.run(2 * HOUR_MS);
  assert.is(sim.store.db.prepare(`SELECT count(*) FROM device WHERE status = 'inactive'`).pluck().get(), 0);
  isWrong = false;
  await sim.run(HOUR_MS);
  assert.is(countsOf(sim.store, publicId).accepted, 500);
  await sim.stop();
});

relay('a thread that loses some targets of its batch loses no push', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 10 });
  sim.answer = (batch) => answers(batch, ACCEPTED).slice(0, sim.batches.length === 1 ? 4 : undefined);
  const publicId = sim.post();
  await sim.run(HOUR_MS);
  assert.is(countsOf(sim.store, publicId).accepted, 10);
  await sim.stop();
});

relay('after a restart the rest goes out without links, and that is counted', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 3 });
  sim.answer = (batch) => answers(batch, DOWN);
  const publicId = sim.post({ links: { imageUrl: 'https://example.com/a.png' } });
  await sim.run(0);
  await sim.stop();
  const next = aRelay({ store: sim.store.restart() });
  await next.run(0);
  assert.is(countsOf(next.store, publicId).accepted, 3);
  const lost = next.store.db.prepare(`SELECT sum(count) FROM tally WHERE measure = 'links_lost'`).pluck().get();
  assert.is(lost, 3);
  await next.stop();
});

relay('what a thread holds of a device that leaves is withdrawn, unsent, and everybody else gets theirs', async () => {
  for (const leaving of [1, 3]) {
    const sim = aRelay();
    const devices = audience(sim.store, { ios: 3 });
    sim.hang = () => sim.batches.length === 1;
    sim.answer = ({ targets, recalls }) =>
      targets.map(({ deviceId }, index) => ({
        index,
        deviceId,
        outcome: recalls[index] === 1 ? RECALLED : ACCEPTED,
        fitted: false,
      }));
    const publicId = sim.post({ links: { url: 'https://example.com/a' } });
    await sim.run(0);
    for (const id of devices.slice(0, leaving)) sim.store.calls.removeDevice({ id });
    sim.release();
    await sim.run(0);
    const { accepted, withdrawn, pending } = countsOf(sim.store, publicId);
    assert.equal([accepted, withdrawn, pending], [3 - leaving, leaving, 0]);
    assert.is(sim.batches.length, 1);
    assert.is(sim.links.bytes, 0);
    await sim.stop();
  }
});

relay('small events that wait together go out together, and one that comes alone goes at once', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 1 });
  sim.hang = () => sim.batches.length === 1;
  const alone = sim.post();
  await sim.run(0);
  assert.equal(sim.batches[0]?.events[0]?.event.publicId, alone);
  for (let n = 0; n < 250; n += 1) sim.post();
  await sim.run(0);
  assert.equal(
    sim.batches.map(({ targets }) => targets.length),
    [1, 100, 100, 50],
  );
  assert.equal(
    sim.sentAfterMs().filter((ms) => ms > 0),
    [],
  );
  sim.release();
  await sim.stop();
});

relay('what is answered early is settled and makes room, while one push of each batch takes its time', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 2_000 });
  sim.hang = () => true;
  sim.early = (batch) => answers(batch, ACCEPTED).slice(1);
  const publicId = sim.post();
  await sim.run(0);
  const { accepted, pending } = countsOf(sim.store, publicId);
  assert.equal([accepted, pending], [2_000 - sim.batches.length, sim.batches.length]);
  sim.release();
  await sim.run(0);
  assert.is(countsOf(sim.store, publicId).accepted, 2_000);
  await sim.stop();
});

relay("no minute sees more pushes than the provider's quota, however many fall due in it", async () => {
  const perMinute = 60;
  const sim = aRelay({ perMinute });
  audience(sim.store, { android: 800 });
  sim.post();
  await sim.run(20 * 60_000);
  const sends = sim.sentAfterMs().map((atMs, index) => ({ atMs, count: sim.batches[index]?.targets.length ?? 0 }));
  assert.is(
    sends.reduce((sum, { count }) => sum + count, 0),
    800,
  );
  for (const { atMs } of sends) {
    const inMinute = sends.filter((send) => send.atMs > atMs - 60_000 && send.atMs <= atMs);
    assert.ok(inMinute.reduce((sum, { count }) => sum + count, 0) <= perMinute);
  }
  await sim.stop();
});

relay('stopping waits for as long as it may, also where that is longer than a minute', async () => {
  const sim = aRelay({ stopTimeoutMs: 120_000 });
  audience(sim.store, { ios: 1 });
  sim.hang = () => true;
  const publicId = sim.post();
  await sim.run(0);
  sim.after(90_000, sim.release);
  await sim.stop();
  assert.is(countsOf(sim.store, publicId).accepted, 1);
});

relay('stopping at once after the start leaves nothing behind that would keep the process from ending', async () => {
  const sim = aRelay();
  await sim.stop();
  assert.is(sim.timers(), 0);
});

relay('stopping sends what is due and keeps what waits', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 300, android: 1 });
  sim.answer = (batch) => answers(batch, batch.route === 'fcm' ? FAULT : ACCEPTED);
  const publicId = sim.post();
  await sim.stop();
  assert.is(countsOf(sim.store, publicId).accepted, 300);
  assert.is(countsOf(sim.store, publicId).pending, 1);
});

relay("stopping goes on at the pace of the provider's quota, for as long as it may", async () => {
  const sim = aRelay({ perMinute: 60, stopTimeoutMs: 30_000 });
  audience(sim.store, { android: 60 });
  const publicId = sim.post();
  await sim.stop();
  const { accepted, pending } = countsOf(sim.store, publicId);
  assert.equal([accepted, pending], [30, 30]);
});

relay('stopping does not wait for a provider that never answers beyond its time', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 1 });
  sim.hang = () => true;
  const publicId = sim.post();
  await sim.run(0);
  await sim.stop();
  assert.is(countsOf(sim.store, publicId).pending, 1);
  sim.release();
});

relay('memory stays flat through an hour-long outage with 100,000 queued events', async () => {
  const sim = aRelay();
  audience(sim.store, { ios: 1 });
  sim.answer = (batch) => answers(batch, DOWN);
  backlog(sim.store, 100_000);
  const beforeBytes = heapBytes();
  await sim.run(HOUR_MS);
  const grownBytes = heapBytes() - beforeBytes;
  assert.ok(grownBytes < 8 * 1024 * 1024, `${grownBytes} bytes more`);
  await sim.stop();
});

relay.run();

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
