import * as assert from 'uvu/assert';
import { MOST_FUTURE_OVERRIDES, MOST_ROTAS } from '../../../src/contract/on-call/plan.ts';
import type { ArgsOf } from '../../../src/store/calls.ts';
import { insist } from '../../support/alerts.ts';
import { conformance } from '../../support/engines.ts';
import { actorIn, idOf, OPERATOR, signIn } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { aRota, aTeam, emailOf, inMs, nameOf, onCallAt, PAYMENTS, shiftsOf, T0 } from '../../support/rotas.ts';
import type { World } from '../../support/world.ts';

const { it, run } = conformance('on call: changes', aTeam);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Makes overrides in a session of a member. */
async function asMember(world: World, name: string) {
  const email = emailOf(name);
  await signIn(world, name, email, T0);
  const [userId, actor] = [await idOf(world, email), actorIn(name, email)];
  return {
    take: (member: string, from: string, until: string) =>
      world.calls.addOverride(
        { ...PAYMENTS, userId, member: emailOf(member), fromMs: inMs(from), untilMs: inMs(until), wallMs: T0 },
        actor,
      ),
    end: (id: string) => world.calls.endOverride({ ...PAYMENTS, userId, id, wallMs: T0 }, actor),
  };
}

it('a wrong field of a rota is named in the refusal, and nothing is added', async (world) => {
  const members = [emailOf('ada')];
  const field = async (asked: Partial<ArgsOf<'createRota'>>) =>
    refused(await world.calls.createRota({ ...PAYMENTS, members, ...asked })).detail?.field;
  assert.is(await field({ slug: 'two words' }), 'slug');
  assert.is(await field({ name: ' ' }), 'name');
  assert.is(await field({ timezone: 'Mars/Base' }), 'timezone');
  assert.is(await field({ members: [] }), 'members');
  assert.is(await field({ members: [emailOf('ada'), 'ADA@acme.example'] }), 'members');
  assert.is(await field({ members: ['eve@example.com'] }), 'members');
  assert.is(await field({ members: Array.from({ length: 31 }, (_, nth) => `m${nth}@example.com`) }), 'members');
  assert.is(await field({ startsOn: '2027-02-30' }), 'starts_on');
  assert.is(await field({ handover: { every: 'week', at: '9:00' } }), 'handover.at');
  assert.is(await field({ handover: { every: 'week', at: '09:00', count: 15 } }), 'handover.count');
  assert.is(await field({ handover: { every: 'day', at: '09:00', weekday: 'mon' } }), 'handover.weekday');
  assert.equal(granted(await world.calls.listRotas({ workspace: 'acme' })), []);
});

it('a member of another workspace is none of this one', async (world) => {
  granted(await world.calls.createWorkspace({ slug: 'umbrella', name: 'Umbrella' }));
  granted(await world.calls.addMember({ workspace: 'umbrella', email: 'eve@example.com', role: 'owner' }));
  const members = [emailOf('ada'), 'eve@example.com'];
  const { detail, message } = refused(await world.calls.createRota({ ...PAYMENTS, members }));
  assert.is(detail?.field, 'members');
  assert.match(message, '"eve@example.com" is not a member of workspace "acme"');
});

it('the start is fixed once the rota has begun, and on_call needs a member of a rota that has', async (world) => {
  await aRota(world, '2027-01-04');
  const change = (asked: Omit<ArgsOf<'updateRota'>, 'workspace' | 'slug'>, at: string) =>
    world.calls.updateRota({ ...PAYMENTS, ...asked, wallMs: inMs(at) });
  assert.is(refused(await change({ onCall: emailOf('bob') }, '2027-01-03T00:00Z')).detail?.field, 'on_call');
  granted(await change({ startsOn: '2027-01-05' }, '2027-01-03T00:00Z'));
  assert.is(await onCallAt(world, inMs('2027-01-04T09:00Z')), 'nobody');
  assert.is(await onCallAt(world, inMs('2027-01-05T08:00Z')), 'ada');
  assert.is(refused(await change({ startsOn: '2027-01-06' }, '2027-01-05T08:00Z')).detail?.field, 'starts_on');
  granted(await change({ startsOn: '2027-01-05' }, '2027-01-05T08:00Z'));
  assert.is(refused(await change({ onCall: emailOf('dan') }, '2027-01-06T00:00Z')).detail?.field, 'on_call');
  granted(await change({ onCall: emailOf('cyd') }, '2027-01-06T00:00Z'));
  assert.equal(await shiftsOf(world, '2027-01-01T00:00Z', '2027-01-20T00:00Z', inMs('2027-01-06T00:00Z')), [
    'ada 2027-01-05T08:00Z',
    'cyd 2027-01-06T00:00Z',
    'ada 2027-01-11T08:00Z',
    'bob 2027-01-18T08:00Z',
  ]);
});

it('a preview shows what would move, and changes nothing', async (world) => {
  const rota = await aRota(world, '2027-01-04');
  const asked = { ...PAYMENTS, members: ['dan', 'ada', 'bob', 'cyd'].map(emailOf), preview: true, wallMs: T0 };
  const { moved = [] } = granted(await world.calls.updateRota(asked, OPERATOR));
  assert.equal(
    moved.slice(0, 2).map(({ from, before, after }) => [from.slice(0, 10), nameOf(before), nameOf(after)]),
    [
      ['2027-02-15', 'ada', 'dan'],
      ['2027-02-22', 'bob', 'ada'],
    ],
  );
  const gone = granted(await world.calls.deleteRota({ ...PAYMENTS, preview: true, wallMs: T0 }, OPERATOR));
  assert.equal([gone.moved?.[0]?.after, nameOf(gone.moved?.[0]?.before ?? null)], [null, 'cyd']);
  const fresh = { workspace: 'acme', slug: 'fresh', members: [emailOf('ada')], preview: true, wallMs: T0 };
  assert.not.ok(granted(await world.calls.createRota(fresh, OPERATOR)).created);
  assert.equal(
    granted(await world.calls.listRotas({ workspace: 'acme', wallMs: T0 })).map(({ slug, members }) => [slug, members]),
    [['payments', rota.members]],
  );
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', action: 'rota', limit: 10 }));
  assert.equal(entries, []);
});

it('members take any time and hand over their own, and managers do so for anyone', async (world) => {
  await aRota(world, '2027-01-04');
  const bob = await asMember(world, 'bob');
  const cyd = await asMember(world, 'cyd');
  const ada = await asMember(world, 'ada');
  const taken = granted(await bob.take('bob', '2027-02-10T12:00Z', '2027-02-10T20:00Z'));
  assert.equal([taken.by, nameOf(taken.person)], ['bob', 'bob']);
  assert.is(refused(await bob.take('dan', '2027-02-16T12:00Z', '2027-02-16T20:00Z')).refused, 'forbidden', "Ada's");
  assert.is(refused(await bob.take('dan', '2027-02-21T12:00Z', '2027-02-23T20:00Z')).refused, 'forbidden', 'in part');
  const handed = granted(await bob.take('dan', '2027-02-22T08:00Z', '2027-02-23T20:00Z'));
  assert.is(refused(await cyd.end(handed.id)).refused, 'forbidden');
  granted(await bob.end(handed.id));
  granted(await ada.take('cyd', '2027-02-22T08:00Z', '2027-02-23T20:00Z'));
  granted(await ada.end(taken.id));
  assert.is(refused(await ada.end(taken.id)).refused, 'not_found');
  assert.equal(await shiftsOf(world, '2027-02-20T00:00Z', '2027-02-25T00:00Z', T0), [
    'ada 2027-02-20T00:00Z',
    'cyd 2027-02-22T08:00Z',
    'bob 2027-02-23T20:00Z',
  ]);
});

it('the override made last wins, and one that is on ends now if it is deleted', async (world) => {
  await aRota(world, '2027-01-04');
  const override = async (member: string, from: string, until: string, wallMs = T0) =>
    granted(
      await world.calls.addOverride({
        ...PAYMENTS,
        member: emailOf(member),
        fromMs: inMs(from),
        untilMs: inMs(until),
        wallMs,
      }),
    );
  const early = await override('dan', '2027-02-09T00:00Z', '2027-02-12T00:00Z');
  assert.is(early.from, '2027-02-10T11:00:00.000+00:00', 'a start in the past becomes now');
  const { id } = await override('bob', '2027-02-11T00:00Z', '2027-02-11T12:00Z');
  const later = inMs('2027-02-11T06:00Z');
  assert.equal(
    refused(await world.calls.updateRota({ ...PAYMENTS, onCall: emailOf('ada'), wallMs: later })).detail?.field,
    'on_call',
  );
  granted(await world.calls.endOverride({ ...PAYMENTS, id, wallMs: later }));
  assert.equal(await shiftsOf(world, '2027-02-10T00:00Z', '2027-02-16T00:00Z', later), [
    'cyd 2027-02-10T00:00Z',
    'dan 2027-02-10T11:00Z',
    'bob 2027-02-11T00:00Z',
    'dan 2027-02-11T06:00Z',
    'cyd 2027-02-12T00:00Z',
    'ada 2027-02-15T08:00Z',
  ]);
});

it('an override has its bounds, and a rota its number of them', async (world) => {
  await aRota(world, '2027-01-04');
  const override = (from: number, until: number, member = 'bob') =>
    world.calls.addOverride({ ...PAYMENTS, member: emailOf(member), fromMs: from, untilMs: until, wallMs: T0 });
  assert.is(refused(await override(T0 + HOUR_MS, T0)).detail?.field, 'until');
  assert.is(refused(await override(T0 - 2 * HOUR_MS, T0 - HOUR_MS)).detail?.field, 'until');
  assert.is(refused(await override(T0, T0 + 31 * DAY_MS + 1)).detail?.field, 'until');
  assert.is(refused(await override(T0, T0 + HOUR_MS, 'eve')).detail?.field, 'member');
  granted(await override(T0, T0 + 31 * DAY_MS));
  for (let nth = 1; nth < MOST_FUTURE_OVERRIDES; nth += 1)
    granted(await override(T0 + nth * HOUR_MS, T0 + 30 * DAY_MS));
  assert.is(refused(await override(T0, T0 + HOUR_MS)).refused, 'conflict');
});

it('an override of a person who left counts as absent, also if they come back', async (world) => {
  await aRota(world, '2027-01-04');
  const dan = { workspace: 'acme', email: emailOf('dan') } as const;
  granted(
    await world.calls.addOverride({ ...PAYMENTS, member: dan.email, untilMs: inMs('2027-02-12T00:00Z'), wallMs: T0 }),
  );
  assert.is(await onCallAt(world, T0 + 1), 'dan');
  granted(await world.calls.removeMember({ ...dan, wallMs: T0 + HOUR_MS }));
  assert.is(await onCallAt(world, T0 + HOUR_MS), 'cyd');
  while (!(await world.calls.pruneStep({})).done);
  granted(await world.calls.addMember({ ...dan, role: 'member' }));
  assert.equal(await shiftsOf(world, '2027-02-10T00:00Z', '2027-02-14T00:00Z', T0 + 2 * HOUR_MS), [
    'cyd 2027-02-10T00:00Z',
    'dan 2027-02-10T11:00Z',
    'cyd 2027-02-10T12:00Z',
  ]);
});

it('a workspace has at most 50 rotas, and deletions leave no rows behind', async (world) => {
  const slugs = Array.from({ length: MOST_ROTAS }, (_, nth) => `rota-${nth}`);
  const add = (slug: string) =>
    world.calls.createRota({ workspace: 'acme', slug, members: [emailOf('ada')], startsOn: '2026-11-01' });
  for (const slug of slugs) granted(await add(slug));
  assert.is(refused(await add('too-many')).refused, 'conflict');
  assert.is(refused(await add('rota-1')).refused, 'conflict');
  granted(await world.calls.deleteRota({ workspace: 'acme', slug: 'rota-1' }));
  granted(await world.calls.deleteWorkspace({ slug: 'acme' }));
  while (!(await world.calls.pruneStep({})).done);
  for (const table of ['rota', 'rota_override', 'on_call_shift']) assert.is(await world.countRows(table), 0, table);
});

it('shifts are kept as long as the audit log, but the one that goes on', async (world) => {
  await aRota(world, '2027-01-04');
  granted(await world.calls.updateRota({ ...PAYMENTS, name: 'Pay', wallMs: T0 }));
  assert.is(await world.countRows('on_call_shift'), 6);
  const wallMs = T0 + 400 * DAY_MS;
  while (!(await world.calls.pruneStep({ wallMs })).done);
  assert.is(await world.countRows('on_call_shift'), 1);
});

it('everyone sees who is on call in their workspaces, and their own next shift', async (world) => {
  await aRota(world, '2027-01-04');
  await asMember(world, 'bob');
  const userId = await idOf(world, emailOf('bob'));
  const actor = actorIn('bob', emailOf('bob'));
  const [status] = granted(await world.calls.listOnCall({ userId, wallMs: T0 }, actor));
  assert.equal(
    [status?.workspace, nameOf(status?.on_call ?? null), nameOf(status?.next ?? null)],
    ['acme', 'cyd', 'ada'],
  );
  assert.equal(status?.own_next, { from: '2027-02-22T08:00:00.000+00:00', until: '2027-03-01T08:00:00.000+00:00' });
  const reach = { workspaceId: world.workspaceId, boundKeyId: null };
  assert.is(granted(await world.calls.listOnCall({ ...reach, wallMs: T0 }))[0]?.own_next, null);
});

it('a key that is bound to channels sees who is on call there', async (world) => {
  await aRota(world, '2027-01-04');
  granted(await world.calls.createRota({ workspace: 'acme', slug: 'web', members: [emailOf('ada')] }));
  const { id: boundKeyId } = await world.issueKey({ channels: ['alerts'], scopes: ['events:read'] });
  const seen = async () => {
    const reach = { workspaceId: world.workspaceId, boundKeyId, wallMs: T0 };
    return granted(await world.calls.listOnCall(reach)).map(({ slug }) => slug);
  };
  assert.equal(await seen(), []);
  await insist(world, { on_call: { rota: PAYMENTS.slug, widen_after: 300 } });
  assert.equal(await seen(), [PAYMENTS.slug]);
});

run();
