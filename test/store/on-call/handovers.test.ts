import * as assert from 'uvu/assert';
import type { WebhookMessage } from '../../../src/store/calls.ts';
import { INSISTING, insist } from '../../support/alerts.ts';
import { conformance, SQLITE } from '../../support/engines.ts';
import { aTeamWithDevices, handOversAt, handoversIn, pushesAt, serveUntil } from '../../support/handovers.ts';
import { granted } from '../../support/refusals.ts';
import { aRota, emailOf, inMs, PAYMENTS, shiftsOf, T0 } from '../../support/rotas.ts';
import { tokenOf } from '../../support/workspace.ts';
import type { SqliteWorld, World } from '../../support/world.ts';

const { it, onSqlite, run } = conformance('on call: handovers', aTeamWithDevices);

const MINUTE_MS = 60_000;
const DAILY = { every: 'day', at: '09:00' } as const;

/** The rota R of the cases, on call since January, with all pushes until t0 sent. */
async function rotaR(world: World, members?: readonly string[]): Promise<void> {
  await aRota(world, '2027-01-04', members && { members });
  await serveUntil(world, inMs('2027-01-03T00:00Z'), T0);
}

it('a handover is pushed quietly to who comes on and who goes off, with times on the clock of the rota', async (world) => {
  await aRota(world, '2027-01-04');
  const sent = await serveUntil(world, inMs('2027-01-03T00:00Z'), inMs('2027-01-12T00:00Z'));
  assert.equal(
    sent.map(({ atMs, to, title, text, isQuiet, channel }) => [atMs, to, title, text, isQuiet, channel]),
    [
      [
        inMs('2027-01-04T08:00Z'),
        'ada',
        'You are on call for payments until Mon 09:00 (Berlin)',
        'Nobody was on call before.',
        true,
        'on call',
      ],
      [
        inMs('2027-01-11T08:00Z'),
        'ada',
        'You are no longer on call for payments',
        'bob is on call until Mon 09:00 (Berlin).',
        true,
        'on call',
      ],
      [
        inMs('2027-01-11T08:00Z'),
        'bob',
        'You are on call for payments until Mon 09:00 (Berlin)',
        'ada was on call before.',
        true,
        'on call',
      ],
    ],
  );
});

it('case 9: a change of the list pushes no handover, and the next one follows the new list', async (world) => {
  await rotaR(world);
  const members = ['ada', 'bob', 'cyd', 'dan'].map(emailOf);
  granted(await world.calls.updateRota({ ...PAYMENTS, members, wallMs: T0 }));
  assert.equal(handoversIn(await serveUntil(world, T0, inMs('2027-02-22T00:00Z'))), [
    'cyd off 2027-02-15T08:00Z',
    'dan on 2027-02-15T08:00Z',
  ]);
});

it('case 10: removing the person on call hands over at once, with one pair of pushes', async (world) => {
  await rotaR(world);
  granted(await world.calls.updateRota({ ...PAYMENTS, members: ['ada', 'bob'].map(emailOf), wallMs: T0 }));
  assert.equal(handoversIn(await serveUntil(world, T0, T0 + MINUTE_MS)), [
    'ada on 2027-02-10T11:00Z',
    'cyd off 2027-02-10T11:00Z',
  ]);
  assert.equal(await shiftsOf(world, '2027-02-08T08:00Z', '2027-02-22T09:00Z', T0 + MINUTE_MS), [
    'cyd 2027-02-08T08:00Z',
    'ada 2027-02-10T11:00Z',
    'bob 2027-02-15T08:00Z',
    'ada 2027-02-22T08:00Z',
  ]);
});

it('case 10: a member who leaves hands over at once, the owners get a notice, and the last one leaves nobody', async (world) => {
  await rotaR(world);
  granted(await world.calls.addMember({ workspace: 'acme', email: emailOf('eve'), role: 'owner', wallMs: T0 }));
  const sentAfter = async (leaver: string, nowMs: number) => {
    granted(await world.calls.removeMember({ workspace: 'acme', email: emailOf(leaver), wallMs: nowMs }));
    return serveUntil(world, nowMs, nowMs);
  };
  const sent = await sentAfter('cyd', T0);
  // The devices of who leaves are removed with them.
  assert.equal(handoversIn(sent), ['ada on 2027-02-10T11:00Z']);
  assert.equal(
    sent.filter(({ title }) => title.startsWith('cyd')).map(({ to, title, text }) => [to, title, text]),
    [['ada', 'cyd is no longer in the rota payments', 'cyd has left the workspace. ada is on call now.']],
  );
  assert.equal(handoversIn(await sentAfter('ada', T0 + MINUTE_MS)), ['bob on 2027-02-10T11:01Z']);
  assert.equal(await sentAfter('bob', T0 + 2 * MINUTE_MS), []);
  assert.is(await world.countRows('on_call_shift'), 9, 'six before, and one for each who left');
});

it('case 11: an override is handed over at both ends, and the handover within it is not pushed', async (world) => {
  await rotaR(world);
  const override = { fromMs: inMs('2027-02-14T12:00Z'), untilMs: inMs('2027-02-15T20:00Z'), wallMs: T0 };
  granted(await world.calls.addOverride({ ...PAYMENTS, member: emailOf('dan'), ...override }));
  assert.equal(handoversIn(await serveUntil(world, T0, inMs('2027-02-16T00:00Z'))), [
    'cyd off 2027-02-14T12:00Z',
    'dan on 2027-02-14T12:00Z',
    'ada on 2027-02-15T20:00Z',
    'dan off 2027-02-15T20:00Z',
  ]);
});

it('case 11: an override that ends at a handover makes one pair there', async (world) => {
  await rotaR(world);
  const override = { fromMs: inMs('2027-02-14T12:00Z'), untilMs: inMs('2027-02-15T08:00Z'), wallMs: T0 };
  granted(await world.calls.addOverride({ ...PAYMENTS, member: emailOf('dan'), ...override }));
  assert.equal(handoversIn(await serveUntil(world, inMs('2027-02-15T00:00Z'), inMs('2027-02-16T00:00Z'))).slice(2), [
    'ada on 2027-02-15T08:00Z',
    'dan off 2027-02-15T08:00Z',
  ]);
});

it('case 13: a rota of one person never pushes', async (world) => {
  await aRota(world, '2027-01-04', { members: ['ada'] });
  assert.equal(await serveUntil(world, inMs('2027-01-01T00:00Z'), inMs('2028-01-01T00:00Z')), []);
  assert.is((await world.calls.nextHandover({ wallMs: inMs('2028-01-01T00:00Z') })).inMs, null);
  assert.equal(await shiftsOf(world, '2027-11-01T00:00Z', '2027-12-01T00:00Z', inMs('2028-01-01T00:00Z')), [
    'ada 2027-11-01T00:00Z',
  ]);
});

it('case 14: after an outage all shifts are recorded, but only the net change is pushed', async (world) => {
  await aRota(world, '2027-05-01', { handover: DAILY });
  await serveUntil(world, inMs('2027-04-30T00:00Z'), inMs('2027-05-03T12:00Z'));
  const upMs = inMs('2027-05-05T12:00Z');
  await handOversAt(world, upMs);
  assert.equal(handoversIn(await pushesAt(world, upMs)), ['bob on 2027-05-05T12:00Z', 'cyd off 2027-05-05T12:00Z']);
  assert.is(await world.countRows('on_call_shift'), 5);
  assert.equal(await shiftsOf(world, '2027-05-03T07:00Z', '2027-05-05T12:00Z', upMs), [
    'cyd 2027-05-03T07:00Z',
    'ada 2027-05-04T07:00Z',
    'bob 2027-05-05T07:00Z',
  ]);
});

it('an outage after which the same person is on call pushes nothing', async (world) => {
  await aRota(world, '2027-05-01', { handover: DAILY });
  await serveUntil(world, inMs('2027-04-30T00:00Z'), inMs('2027-05-03T12:00Z'));
  const upMs = inMs('2027-05-06T12:00Z');
  await handOversAt(world, upMs);
  assert.equal(await pushesAt(world, upMs), []);
  assert.is(await world.countRows('on_call_shift'), 6);
});

it('a rota that is years behind catches up in small steps, and pushes nothing if the same person is on call', async (world) => {
  await aRota(world, '2027-05-01', { handover: DAILY });
  await serveUntil(world, inMs('2027-04-30T00:00Z'), inMs('2027-05-03T12:00Z'));
  const upMs = inMs('2029-05-04T12:00Z');
  let rows = await world.countRows('on_call_shift');
  for (let steps = 0; (await world.calls.nextHandover({ wallMs: upMs })).inMs === 0; steps += 1) {
    await world.calls.handOver({ wallMs: upMs });
    const now = await world.countRows('on_call_shift');
    assert.ok(now - rows <= 200 && steps < 20, `${now - rows} in step ${steps}`);
    rows = now;
  }
  assert.is(rows, 735, 'one each day');
  assert.equal(await pushesAt(world, upMs), []);
  assert.is((await serveUntil(world, upMs, upMs + 24 * 60 * MINUTE_MS)).length, 2);
});

it('a rota without announcements pushes nothing, and records its shifts', async (world) => {
  await aRota(world, '2027-01-04', { announce: false });
  assert.equal(await serveUntil(world, inMs('2027-01-03T00:00Z'), T0), []);
  assert.is(await world.countRows('on_call_shift'), 6);
});

it('a clock that is set back hands over once', async (world) => {
  await rotaR(world);
  const monday = inMs('2027-02-15T08:00Z');
  assert.is((await serveUntil(world, monday, monday)).length, 2);
  assert.equal(await serveUntil(world, monday - 60 * MINUTE_MS, monday + 60 * MINUTE_MS), []);
});

onSqlite('pushes go to the devices on a channel with the rota, and count its open alerts', async () => {
  const world = await aTeamWithDevices({ engine: SQLITE });
  const { db } = world as SqliteWorld;
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  await world.addDevice({ token: tokenOf(99), subscribe: ['builds'] }, emailOf('ada'));
  await rotaR(world);
  const monday = inMs('2027-02-15T08:00Z');
  await insist(world, { until: 86_400, repeat: 3_600 });
  db.prepare("UPDATE channel SET rota_id = (SELECT id FROM rota) WHERE slug = 'alerts'").run();
  for (const collapseKey of ['disk', 'net']) await world.post({ ...INSISTING, collapseKey, wallMs: monday });
  const sent = await serveUntil(world, monday, monday);
  assert.equal(
    sent.map(({ to, title }) => [to, title]),
    [
      ['ada', 'You are on call for payments until Mon 09:00 (Berlin), 2 open alerts'],
      ['cyd', 'You are no longer on call for payments'],
    ],
    'but not to the other device',
  );
});

it('a webhook gets each handover with both persons and its end', async (world) => {
  await rotaR(world);
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  granted(await world.calls.createWebhook({ workspace: 'acme', url: 'https://hooks.example.com', secret, wallMs: T0 }));
  const monday = inMs('2027-02-15T08:00Z');
  await serveUntil(world, monday, monday);
  const messages: readonly WebhookMessage[] = await world.calls.takeWebhookMessages({ limit: 5, wallMs: monday });
  assert.equal(
    messages.map(({ kind, data }) => [kind, JSON.parse(data)]),
    [
      [
        'on_call.handover',
        {
          rota: 'payments',
          name: 'payments',
          on_call: { email: emailOf('ada'), name: 'ada' },
          previous: { email: emailOf('cyd'), name: 'cyd' },
          from: '2027-02-15T08:00:00.000+00:00',
          until: '2027-02-22T08:00:00.000+00:00',
          override: null,
        },
      ],
    ],
  );
});

run();
