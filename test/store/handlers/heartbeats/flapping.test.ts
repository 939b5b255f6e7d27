import * as assert from 'uvu/assert';
import { insist } from '../../../support/alerts.ts';
import { conformance } from '../../../support/engines.ts';
import { aPatient, DAY_MS, flap, HOUR_MS, MINUTE_MS, type Patient } from '../../../support/heartbeats.ts';
import { granted } from '../../../support/refusals.ts';

const { it, run } = conformance('heartbeats that flap', aPatient);

const SIX = ['down', 'up', 'down', 'up', 'down', 'up'];

it('a heartbeat posts six events an hour and one that it flaps, and its alert stays open until an hour of up', async (patient) => {
  await insist(patient, { repeat: 3_600, until: 86_400 });
  const uuid = await patient.expect('backup');
  await flap(patient, uuid);
  assert.equal(await kinds(patient), [...SIX, 'flaps']);
  const { events } = granted(await patient.calls.listEvents({ workspace: 'acme', limit: 1 }));
  const [newest] = events;
  assert.equal(
    [newest?.level, newest?.delivery_urgency, newest?.collapse_key],
    ['error', 'time_sensitive', 'heartbeat/backup'],
  );
  assert.is(
    newest?.description,
    'It had 6 events within an hour. It is down now: It reported a failure. It is reported again when it stays up or down for an hour.',
  );
  assert.ok((await patient.beat('backup')).flaps_since);

  await patient.pass(59 * MINUTE_MS);
  await flap(patient, uuid, 1);
  await patient.pass(59 * MINUTE_MS);
  assert.equal([await kinds(patient), await liveAlerts(patient)], [[...SIX, 'flaps'], ['backup flaps']]);
  await patient.pass(MINUTE_MS);
  assert.equal([await kinds(patient), await liveAlerts(patient)], [[...SIX, 'flaps', 'up'], []]);
  const { state, down_since, flaps_since } = await patient.beat('backup');
  assert.equal([state, down_since, flaps_since], ['up', null, null]);
  await flap(patient, uuid, 1);
  assert.equal((await kinds(patient)).slice(8), ['down', 'up']);
});

it('a real failure of a heartbeat that flaps is reported when it has lasted an hour', async (patient) => {
  const uuid = await patient.expect('backup', { every: 60, grace: 60 });
  await flap(patient, uuid);
  await patient.pass(HOUR_MS + MINUTE_MS);
  assert.is((await kinds(patient)).length, 7);
  await patient.pass(MINUTE_MS);
  assert.equal((await kinds(patient)).slice(7), ['down']);
});

it('the bound holds for a heartbeat that is changed, paused, or deleted and added again, and its failure is late, not lost', async (patient) => {
  const { calls } = patient;
  const named = { workspace: 'acme', slug: 'backup' };
  const uuid = await patient.expect('backup');
  await flap(patient, uuid);
  granted(await calls.updateHeartbeat({ ...named, every: 3_600, name: 'Nightly', ...patient.now() }));
  granted(await calls.pauseHeartbeat({ ...named, ...patient.now() }));
  await flap(patient, uuid);
  granted(await calls.deleteHeartbeat({ ...named, ...patient.now() }));
  await flap(patient, await patient.expect('backup'));
  const again = await patient.expect('other');
  await patient.ping(again, { kind: 'fail' });
  assert.equal(await kinds(patient), [...SIX, 'flaps', 'down'], 'another heartbeat has a bound of its own');
  await patient.pass(MINUTE_MS);
  granted(await calls.deleteHeartbeat({ ...named, ...patient.now() }));
  await patient.ping(await patient.expect('backup'), { kind: 'fail' });
  assert.is((await kinds(patient)).length, 8);
  await patient.pass(HOUR_MS);
  assert.equal((await kinds(patient)).slice(8), ['down']);
});

it('all that reports a failure counts: an exit status, a missed ping, a run that does not end', async (patient) => {
  const uuid = await patient.expect('backup', { every: 60, grace: 60 });
  for (let n = 0; n < 3; n += 1) {
    await patient.ping(uuid, { kind: 'fail', exitStatus: 3 });
    await patient.ping(uuid);
    await patient.pass(3 * MINUTE_MS);
    await patient.ping(uuid);
    await patient.ping(uuid, { kind: 'start' });
    await patient.pass(2 * MINUTE_MS);
    await patient.ping(uuid);
  }
  assert.equal(await kinds(patient), [...SIX, 'flaps']);
});

it('time in which no server ran is no time of being up, and a clock that was set back holds nothing back', async (patient) => {
  const uuid = await patient.expect('backup', { every: 86_400 });
  await flap(patient, uuid);
  await patient.outage(HOUR_MS);
  assert.is((await kinds(patient)).length, 7);
  await patient.pass(HOUR_MS);
  assert.equal((await kinds(patient)).slice(7), ['up']);
  patient.setClock(-DAY_MS, 'both');
  await flap(patient, uuid, 1);
  assert.equal((await kinds(patient)).slice(8), ['down', 'up']);
});

it('all heartbeats that a key pings by name have one bound together, and none of their failures is lost', async (patient) => {
  const pingedBy = 'a key';
  const uuids: string[] = [];
  for (let n = 0; n < 10; n += 1) uuids.push(await patient.expect(`job-${n}`));
  for (const uuid of uuids) await patient.ping(uuid, { kind: 'fail', pingedBy });
  assert.equal(await kinds(patient), Array(7).fill('down'));
  assert.match(
    (await patient.posted())[6]?.description ?? '',
    /Heartbeats of one ping key had 6 events within an hour/,
  );
  await patient.ping(await patient.expect('other'), { kind: 'fail', pingedBy: 'another key' });
  assert.is((await kinds(patient)).length, 8);
  const last = await patient.expect('last');
  await patient.ping(last, { pingedBy });
  await patient.ping(last, { kind: 'fail' });
  assert.is((await kinds(patient)).length, 8, 'a ping by its UUID takes nothing out of the bound of the key');
  for (const uuid of [...uuids.slice(0, 9), last]) await patient.ping(uuid, { pingedBy });
  await patient.pass(HOUR_MS);
  assert.equal((await kinds(patient)).slice(8).sort(), ['down', ...Array(5).fill('up')]);
});

run();

/** The posted events, the oldest first. */
async function kinds(patient: Patient): Promise<readonly (string | undefined)[]> {
  return (await patient.posted()).map(({ type }) => type?.replace('heartbeat.', ''));
}

async function liveAlerts({ calls }: Patient): Promise<readonly string[]> {
  const { alerts } = granted(await calls.listAlerts({ workspace: 'acme', state: 'live', limit: 10 }));
  return alerts.map(({ title }) => title);
}
