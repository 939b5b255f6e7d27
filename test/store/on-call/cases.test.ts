import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../src/store/calls.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import {
  aRota,
  aTeam,
  daily,
  emailOf,
  inMs,
  MONDAYS,
  OPERATOR,
  onCallAt,
  PAYMENTS,
  shiftsOf,
  T0,
} from '../../support/rotas.ts';
import type { World } from '../../support/world.ts';

const { it, run } = conformance('on call: cases', aTeam);

const change = async (world: World, asked: Omit<ArgsOf<'updateRota'>, 'workspace' | 'slug'>, wallMs = T0) =>
  granted(await world.calls.updateRota({ ...PAYMENTS, ...asked, wallMs }));

const JANUARY = ['ada 2027-01-04T08:00Z', 'bob 2027-01-11T08:00Z', 'cyd 2027-01-18T08:00Z', 'ada 2027-01-25T08:00Z'];

/** Checks that the weeks before `T0` are as they were. */
async function assertPast(world: World): Promise<void> {
  assert.equal(await shiftsOf(world, '2027-01-01T00:00Z', '2027-01-31T00:00Z', T0), JANUARY);
  assert.equal(await shiftsOf(world, '2027-02-09T00:00Z', '2027-02-10T11:00Z', T0), ['cyd 2027-02-09T00:00Z']);
}

it('weeks around both changes of the clock last an hour less and more', async (world) => {
  await aRota(world, '2027-03-15');
  assert.equal(await shiftsOf(world, '2027-03-01T00:00Z', '2027-04-12T00:00Z'), [
    'ada 2027-03-15T08:00Z',
    'bob 2027-03-22T08:00Z',
    'cyd 2027-03-29T07:00Z',
    'ada 2027-04-05T07:00Z',
  ]);
  granted(await world.calls.deleteRota(PAYMENTS));
  await aRota(world, '2027-10-18');
  assert.equal(await shiftsOf(world, '2027-10-01T00:00Z', '2027-11-08T00:00Z'), [
    'ada 2027-10-18T07:00Z',
    'bob 2027-10-25T07:00Z',
    'cyd 2027-11-01T08:00Z',
  ]);
  assert.is(await onCallAt(world, inMs('2027-11-01T07:30Z')), 'bob');
});

it('a time that the clock skips or shows twice hands over once', async (world) => {
  const members = ['ada', 'bob'];
  const again = async (startsOn: string, plan: Parameters<typeof aRota>[2], until: string) => {
    await aRota(world, startsOn, plan);
    const shifts = await shiftsOf(world, `${startsOn}T12:00Z`, until);
    granted(await world.calls.deleteRota(PAYMENTS));
    return shifts.slice(1);
  };
  assert.equal(await again('2027-03-26', { members, handover: daily('02:30') }, '2027-03-29T12:00Z'), [
    'bob 2027-03-27T01:30Z',
    'ada 2027-03-28T01:00Z',
    'bob 2027-03-29T00:30Z',
  ]);
  assert.equal(await again('2027-10-29', { members, handover: daily('02:30') }, '2027-11-01T12:00Z'), [
    'bob 2027-10-30T00:30Z',
    'ada 2027-10-31T00:30Z',
    'bob 2027-11-01T01:30Z',
  ]);
  const lordHowe = { members, timezone: 'Australia/Lord_Howe', handover: daily('02:15') };
  assert.equal(await again('2027-10-01', lordHowe, '2027-10-04T12:00Z'), [
    'bob 2027-10-01T15:45Z',
    'ada 2027-10-02T15:30Z',
    'bob 2027-10-03T15:15Z',
  ]);
  const havana = { timezone: 'America/Havana', handover: daily('00:00') };
  assert.equal(await again('2027-03-12', havana, '2027-03-15T12:00Z'), [
    'bob 2027-03-13T05:00Z',
    'cyd 2027-03-14T05:00Z',
    'ada 2027-03-15T04:00Z',
  ]);
});

it('nobody is on call before the start, and the first member from then on', async (world) => {
  await aRota(world, '2027-01-07');
  assert.is(await onCallAt(world, inMs('2027-01-07T07:59Z')), 'nobody');
  assert.equal(await shiftsOf(world, '2027-01-01T00:00Z', '2027-01-24T00:00Z'), [
    'ada 2027-01-07T08:00Z',
    'bob 2027-01-11T08:00Z',
    'cyd 2027-01-18T08:00Z',
  ]);
  granted(await world.calls.deleteRota(PAYMENTS));
  await aRota(world, '2027-01-04');
  assert.is(await onCallAt(world, inMs('2027-01-04T08:00Z')), 'ada');
});

it('without a date of its start, the first member is on call at once, also before the time of the handover', async (world) => {
  const usual = { ...PAYMENTS, timezone: 'Europe/Berlin', members: [emailOf('ada'), emailOf('bob')] };
  for (const [now, startsOn] of [
    ['2027-01-05T07:59Z', '2027-01-04'],
    ['2027-01-05T08:00Z', '2027-01-05'],
    ['2027-01-05T23:30Z', '2027-01-05'],
  ] as const) {
    const made = granted(await world.calls.createRota({ ...usual, wallMs: inMs(now) }));
    assert.equal([made.rota.starts_on, await onCallAt(world, inMs(now))], [startsOn, 'ada']);
    assert.is(await onCallAt(world, inMs('2027-01-11T08:00Z')), 'bob');
    granted(await world.calls.deleteRota(PAYMENTS));
  }
});

it('a member added to a rota of two weeks waits for their turn', async (world) => {
  await aRota(world, '2026-12-14', { members: ['ada', 'bob'], handover: { ...MONDAYS, count: 2 } });
  const now = inMs('2027-01-06T12:00Z');
  await change(world, { members: ['ada', 'bob', 'cyd'].map(emailOf) }, now);
  assert.equal(await shiftsOf(world, '2026-12-01T00:00Z', '2027-02-15T00:00Z', now), [
    'ada 2026-12-14T08:00Z',
    'bob 2026-12-28T08:00Z',
    'cyd 2027-01-11T08:00Z',
    'ada 2027-01-25T08:00Z',
    'bob 2027-02-08T08:00Z',
  ]);
});

it('a change of the list moves neither the person on call nor the past', async (world) => {
  const lists = [
    ['ada bob cyd dan', 'dan 2027-02-15, ada 2027-02-22, bob 2027-03-01, cyd 2027-03-08'],
    ['dan ada bob cyd', 'dan 2027-02-15, ada 2027-02-22, bob 2027-03-01, cyd 2027-03-08'],
    ['cyd bob ada', 'bob 2027-02-15, ada 2027-02-22, cyd 2027-03-01, bob 2027-03-08'],
    ['bob cyd', 'bob 2027-02-15, cyd 2027-02-22, bob 2027-03-01, cyd 2027-03-08'],
  ] as const;
  for (const [members, expected] of lists) {
    await aRota(world, '2027-01-04');
    await change(world, { members: members.split(' ').map(emailOf) });
    assert.is(await onCallAt(world, T0), 'cyd');
    const [, ...next] = await shiftsOf(world, '2027-02-10T11:00Z', '2027-03-10T00:00Z');
    assert.equal(
      next,
      expected.split(', ').map((shift) => `${shift}T08:00Z`),
    );
    await assertPast(world);
    granted(await world.calls.deleteRota(PAYMENTS));
  }
});

it('the next person takes over at once if the one on call is removed or leaves', async (world) => {
  const expected = ['ada 2027-02-10T11:00Z', 'bob 2027-02-15T08:00Z', 'ada 2027-02-22T08:00Z'];
  await aRota(world, '2027-01-04');
  await change(world, { members: ['ada', 'bob'].map(emailOf) });
  assert.equal(await shiftsOf(world, '2027-02-10T11:00Z', '2027-02-27T00:00Z'), expected);
  await assertPast(world);
  granted(await world.calls.deleteRota(PAYMENTS));
  await aRota(world, '2027-01-04');
  const leave = async (name: string) =>
    granted(await world.calls.removeMember({ workspace: 'acme', email: emailOf(name), wallMs: T0 }, OPERATOR));
  granted(await world.calls.addMember({ workspace: 'acme', email: 'eve@acme.example', role: 'owner' }));
  await leave('cyd');
  assert.equal(await shiftsOf(world, '2027-02-10T11:00Z', '2027-02-27T00:00Z'), expected);
  await assertPast(world);
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', limit: 2 }));
  assert.equal(
    entries.map(({ action, object }) => [action, object.split(',')[0]]),
    [
      ['member.remove', emailOf('cyd')],
      ['rota.leave', `payments: ${emailOf('cyd')}`],
    ],
  );
  await leave('ada');
  assert.is(await onCallAt(world, T0), 'bob');
  await leave('bob');
  assert.equal(await shiftsOf(world, '2027-02-10T11:00Z', '2027-02-27T00:00Z'), []);
  await assertPast(world);
});

it('an override takes the place of the rota, and its handovers count on', async (world) => {
  await aRota(world, '2027-01-04');
  const override = async (until: string) =>
    granted(
      await world.calls.addOverride({
        ...PAYMENTS,
        member: emailOf('dan'),
        fromMs: inMs('2027-02-14T12:00Z'),
        untilMs: inMs(until),
        wallMs: T0,
      }),
    );
  const { id } = await override('2027-02-15T20:00Z');
  assert.equal(await shiftsOf(world, '2027-02-10T11:00Z', '2027-02-27T00:00Z'), [
    'cyd 2027-02-10T11:00Z',
    'dan 2027-02-14T12:00Z',
    'ada 2027-02-15T20:00Z',
    'bob 2027-02-22T08:00Z',
  ]);
  granted(await world.calls.endOverride({ ...PAYMENTS, id, wallMs: T0 }));
  await override('2027-02-15T08:00Z');
  assert.equal(await shiftsOf(world, '2027-02-14T00:00Z', '2027-02-21T00:00Z', T0), [
    'cyd 2027-02-14T00:00Z',
    'dan 2027-02-14T12:00Z',
    'ada 2027-02-15T08:00Z',
  ]);
});

it('a change of handover or time zone counts from the next handover', async (world) => {
  await aRota(world, '2027-01-04');
  await change(world, { handover: { every: 'week', weekday: 'fri', at: '17:00' } });
  assert.equal(await shiftsOf(world, '2027-02-10T11:00Z', '2027-02-20T00:00Z'), [
    'cyd 2027-02-10T11:00Z',
    'ada 2027-02-12T16:00Z',
    'bob 2027-02-19T16:00Z',
  ]);
  await assertPast(world);
  granted(await world.calls.deleteRota(PAYMENTS));
  await aRota(world, '2027-01-04');
  await change(world, { timezone: 'America/New_York' });
  assert.equal(await shiftsOf(world, '2027-02-10T11:00Z', '2027-02-24T00:00Z'), [
    'cyd 2027-02-10T11:00Z',
    'ada 2027-02-15T14:00Z',
    'bob 2027-02-22T14:00Z',
  ]);
  await assertPast(world);
});

it('one member is always on call, without an end', async (world) => {
  await aRota(world, '2027-01-04', { members: ['ada'] });
  const { on_call, until, next } = granted(await world.calls.showRota({ ...PAYMENTS, wallMs: T0 }));
  assert.equal([on_call?.email, until, next], [emailOf('ada'), null, null]);
});

it('handovers during an outage are recorded afterwards', async (world) => {
  await aRota(world, '2027-05-01', { handover: daily('09:00') });
  await change(world, { name: 'Before' }, inMs('2027-05-03T12:00Z'));
  const now = inMs('2027-05-05T12:00Z');
  await change(world, { members: ['bob', 'ada'].map(emailOf) }, now);
  assert.equal(await shiftsOf(world, '2027-05-01T00:00Z', '2027-05-07T00:00Z', now), [
    'ada 2027-05-01T07:00Z',
    'bob 2027-05-02T07:00Z',
    'cyd 2027-05-03T07:00Z',
    'ada 2027-05-04T07:00Z',
    'bob 2027-05-05T07:00Z',
    'ada 2027-05-06T07:00Z',
  ]);
});

run();
