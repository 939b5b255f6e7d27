import * as assert from 'uvu/assert';
import { conformance } from '../../../support/engines.ts';
import { aPatient, DAY_MS, HOUR_MS, MINUTE_MS, type Patient } from '../../../support/heartbeats.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { NOW_MS } from '../../../support/world.ts';

const { it, run } = conformance('heartbeats by cron', aPatient);
/** 2026-11-21 09:30 UTC, a Saturday, is 10:30 there. */
const BERLIN = { timezone: 'Europe/Berlin', grace: 600 };

it('the next ping is due when the fields say so in their time zone', async (patient) => {
  await patient.expect('nightly', { cron: '0 3 * * *', ...BERLIN });
  await patient.expect('weekdays', { cron: '15  11 * * 1-5', ...BERLIN });
  await patient.expect('utc', { cron: '0 3 * * *' });
  const due = async (slug: string) => (await patient.beat(slug)).due_at;
  assert.is(await due('nightly'), '2026-11-22T02:00:00.000+00:00');
  assert.is(await due('weekdays'), '2026-11-23T10:15:00.000+00:00');
  assert.is(await due('utc'), '2026-11-22T03:00:00.000+00:00');
});

it('a heartbeat without a ping is down after its grace, and its event names the schedule', async (patient) => {
  await patient.expect('soon', { cron: '35 10 * * *', ...BERLIN });
  await patient.pass(14 * MINUTE_MS);
  assert.equal([(await patient.beat('soon')).state, await patient.posted()], ['late', []]);
  await patient.pass(MINUTE_MS);
  const [event] = await patient.posted();
  assert.is(event?.description, 'No ping came: one is expected by 35 10 * * * (Europe/Berlin), or up to 10 min later.');
});

it('on the day on which an hour is left out or comes twice it is due once', async (patient) => {
  const uuid = await patient.expect('nightly', { cron: '30 2 * * *', ...BERLIN });
  const dueAfter = async (at: string) => {
    patient.setClock(Date.parse(at) - patient.now().wallMs, 'both');
    await patient.ping(uuid);
    return (await patient.beat('nightly')).due_at;
  };
  assert.is(await dueAfter('2027-03-27T12:00:00Z'), '2027-03-28T01:00:00.000+00:00');
  assert.is(await dueAfter('2027-10-30T12:00:00Z'), '2027-10-31T00:30:00.000+00:00');
  assert.is(await dueAfter('2027-10-31T00:40:00Z'), '2027-11-01T01:30:00.000+00:00');
});

it('if the wall clock jumps it is due by the new time, and a late heartbeat stays late', async (patient) => {
  await patient.expect('nightly', { cron: '0 3 * * *', ...BERLIN });
  await patient.pass(MINUTE_MS);
  for (const byMs of [DAY_MS, -2 * DAY_MS, 7 * HOUR_MS, MINUTE_MS]) {
    patient.setClock(byMs);
    await patient.pass(10_000);
    const due = Date.parse((await patient.beat('nightly')).due_at ?? '');
    assert.is(new Date(due).toISOString().slice(11, 19), '02:00:00', `${byMs}`);
    const ahead = due - patient.now().wallMs;
    assert.ok(ahead > 0 && ahead <= DAY_MS, `${byMs}: ${ahead}`);
  }
  assert.equal(await patient.posted(), []);
});

it('if the wall clock jumps, many follow in steps, and none of them goes down', async (patient) => {
  const slugs = Array.from({ length: 70 }, (_, n) => `nightly-${n}`);
  for (const slug of slugs) await patient.expect(slug, { cron: '0 3 * * *', ...BERLIN });
  await patient.pass(MINUTE_MS);
  patient.setClock(7 * HOUR_MS);
  assert.is((await patient.calls.tendHeartbeats(patient.now())).nextInMs, 0, 'some are left');
  assert.ok(((await patient.calls.tendHeartbeats(patient.now())).nextInMs ?? 0) > 0);
  const due = new Set(await Promise.all(slugs.map(async (slug) => (await patient.beat(slug)).due_at)));
  assert.equal([...due], ['2026-11-22T02:00:00.000+00:00']);
  assert.equal(await patient.posted(), []);
});

it('a small jump past its time is a ping that is late, and none that was forgotten', async (patient) => {
  await patient.expect('soon', { cron: '31 10 * * *', ...BERLIN });
  await patient.pass(50_000);
  patient.setClock(30_000);
  await patient.pass(10_000);
  assert.is((await patient.beat('soon')).state, 'late');
  await patient.pass(10 * MINUTE_MS);
  assert.is((await patient.posted()).length, 1);
});

it('an outage moves it as any other', async (patient) => {
  await patient.expect('nightly', { cron: '0 3 * * *', ...BERLIN });
  await patient.pass(MINUTE_MS);
  await patient.outage(5 * MINUTE_MS);
  assert.is((await patient.beat('nightly')).due_at, '2026-11-22T02:05:00.000+00:00');
});

it('invalid fields are refused, and so are both kinds of schedule at once', async (patient) => {
  for (const [schedule, field, words] of [
    [{ cron: '0 3 * *' }, 'cron', /five fields/],
    [{ cron: '0 0 3 * * *' }, 'cron', /five fields/],
    [{ cron: '61 3 * * *' }, 'cron', /five fields/],
    [{ cron: '@daily' }, 'cron', /five fields/],
    [{ cron: '0 3 30 2 *' }, 'cron', /^The cron field names a day that never comes, such as 30 February\.$/],
    [{ cron: '0 3 * * *', timezone: 'Europe/Nowhere' }, 'timezone', /such as Europe\/Berlin/],
    [{ cron: '0 3 * * *', every: 60 }, 'cron', /cron and every/],
    [{ timezone: 'Europe/Berlin' }, 'timezone', /only with cron/],
  ] as const) {
    const made = await patient.calls.createHeartbeat({
      workspace: 'acme',
      channel: 'alerts',
      slug: 'job',
      ...schedule,
    });
    const { detail, message } = refused(made);
    assert.is(detail?.field, field, JSON.stringify(schedule));
    assert.match(message, words);
  }
});

it('one kind of schedule is changed into the other', async (patient) => {
  await patient.expect('job', { every: 3_600 });
  const change = async (schedule: object) => {
    const args = { workspace: 'acme', slug: 'job', ...schedule, ...patient.now() };
    const { every, cron, timezone, due_at } = granted(await patient.calls.updateHeartbeat(args));
    return [every, cron, timezone, due_at];
  };
  const nightly = ['0 3 * * *', 'Europe/Berlin', '2026-11-22T02:00:00.000+00:00'];
  assert.equal(await change({ cron: '0 3 * * *', timezone: 'Europe/Berlin' }), [null, ...nightly]);
  assert.equal(await change({ name: 'Nightly' }), [null, ...nightly]);
  assert.equal(await change({ timezone: 'UTC' }), [null, '0 3 * * *', 'UTC', '2026-11-22T03:00:00.000+00:00']);
  assert.equal(await change({ every: 60 }), [60, null, null, dueIn(patient, 60_000)]);
});

run();

function dueIn(patient: Patient, ms: number): string {
  assert.is(patient.now().wallMs, NOW_MS);
  return new Date(NOW_MS + ms).toISOString().replace('Z', '+00:00');
}
