import * as assert from 'uvu/assert';
import { assertEach } from '../../../support/assert-each.ts';
import { conformance } from '../../../support/engines.ts';
import { aPatient, DAY_MS, HOUR_MS, MINUTE_MS, type Patient } from '../../../support/heartbeats.ts';
import { granted } from '../../../support/refusals.ts';

const { test, it, run } = conformance('heartbeats: outages of our own', aPatient);
const MINUTELY = { every: 60, grace: 60 };

test('a restart of five minutes reports none of 100 jobs, and a daily one that is missing is reported all the same', async (engine) => {
  const patient = await aPatient({ engine });
  // A day in steps of ten seconds takes PostgreSQL half a minute.
  const every = engine.name === 'sqlite' ? 86_400 : 7_200;
  const uuids: string[] = [];
  for (let n = 0; n < 50; n += 1) {
    uuids.push(await patient.expect(`minutely-${n}`, MINUTELY));
    await patient.expect(`daily-${n}`, { every, grace: 3_600 });
  }
  await patient.pass(50_000);
  await patient.outage(5 * MINUTE_MS);
  await patient.pass(MINUTE_MS);
  for (const uuid of uuids) await patient.ping(uuid);
  assert.equal(await patient.posted(), []);
  await pauseAll(patient, 'minutely');
  await patient.pass(every * 1_000 + HOUR_MS - 2 * MINUTE_MS);
  assert.equal(await patient.posted(), []);
  await patient.pass(MINUTE_MS);
  assert.is((await patient.posted()).length, 50);
});

it('after a long outage a minute is left of what was left a minute', async (patient) => {
  await patient.expect('backup', MINUTELY);
  await patient.pass(MINUTE_MS);
  await patient.outage(3 * DAY_MS);
  await patient.pass(50_000);
  assert.equal(await patient.posted(), []);
  await patient.pass(10_000);
  assert.is((await patient.posted()).length, 1);
});

it('a ping that comes before anything else after an outage has a whole period ahead', async (patient) => {
  const uuid = await patient.expect('backup', MINUTELY);
  patient.setClock(HOUR_MS, 'both');
  await patient.ping(uuid);
  await patient.pass(MINUTE_MS + 50_000);
  assert.equal(await patient.posted(), []);
  await patient.pass(10_000);
  assert.is((await patient.posted()).length, 1);
});

it('a list by state shows no job as late because of an outage', async (patient) => {
  await patient.expect('backup', MINUTELY);
  await patient.outage(HOUR_MS);
  await patient.pass(10_000);
  const named = { workspace: 'acme', limit: 10 };
  const listed = async (state: 'up' | 'late') => {
    const { heartbeats } = granted(await patient.calls.findHeartbeats({ ...named, state, ...patient.now() }));
    return heartbeats.map(({ slug }) => slug);
  };
  assert.equal([await listed('up'), await listed('late')], [['backup'], []]);
  await patient.pass(MINUTE_MS);
  assert.equal([await listed('up'), await listed('late')], [[], ['backup']]);
});

it('a restart reports no run that had time left', async (patient) => {
  const uuid = await patient.expect('backup', { every: 3_600, grace: 300 });
  await patient.ping(uuid, { kind: 'start' });
  await patient.pass(4 * MINUTE_MS);
  await patient.outage(HOUR_MS);
  await patient.pass(50_000);
  assert.equal(await patient.posted(), []);
  await patient.pass(10_000);
  assert.is((await patient.posted()).length, 1);
});

for (const which of ['wall', 'both'] as const) {
  for (const byMs of [DAY_MS, -DAY_MS]) {
    it(`no job is reported for a clock that is set by ${byMs / DAY_MS} day (${which})`, async (patient) => {
      await patient.expect('minutely', MINUTELY);
      await patient.expect('daily');
      await patient.pass(30_000);
      patient.setClock(byMs, which);
      await patient.pass(MINUTE_MS + 20_000);
      assert.equal(await patient.posted(), []);
      // How long an outage was is known to ten seconds.
      await patient.pass(which === 'both' ? 20_000 : 10_000);
      assertEach(await patient.posted(), ({ title }) => title, ['minutely is down']);
      const { due_at, last_ping_at } = await patient.beat('daily');
      const off = Date.parse(due_at ?? '') - Date.parse(last_ping_at ?? '') - (DAY_MS + byMs);
      assert.ok(off >= 0 && off <= 10_000, `${off} ms`);
    });
  }
}

it('a ping awaited with the earlier schedule is awaited with the new schedule', async (patient) => {
  await patient.expect('backup', MINUTELY);
  await patient.pass(MINUTE_MS);
  const named = { workspace: 'acme', slug: 'backup', ...patient.now() };
  granted(await patient.calls.updateHeartbeat({ ...named, every: 300, grace: 120 }));
  await patient.pass(5 * MINUTE_MS + 50_000);
  assert.equal(await patient.posted(), []);
  await patient.pass(10_000);
  assert.is((await patient.posted()).length, 1);
});

run();

async function pauseAll({ calls, now }: Patient, prefix: string): Promise<void> {
  const all = granted(await calls.listHeartbeats({ workspace: 'acme', ...now() }));
  for (const { slug } of all.filter((heartbeat) => heartbeat.slug.startsWith(prefix))) {
    granted(await calls.pauseHeartbeat({ workspace: 'acme', slug, ...now() }));
  }
}
