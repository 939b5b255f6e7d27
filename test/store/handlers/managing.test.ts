import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../src/store/calls.ts';
import { androidToken } from '../../support/android-token.ts';
import { ADA } from '../../support/cast.ts';
import { conformance, type OnEngine } from '../../support/engines.ts';
import { granted, refused } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../../support/world.ts';

const { test, it, run } = conformance('managing many', aCompany);
const PAGE = 10;
const MEMBERS = 2 * PAGE + 5;

/** More members and devices than a page has. */
async function aCompany({ engine }: OnEngine) {
  const world = await aWorld({ engine });
  const { calls } = world;
  granted(await calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  for (let n = 1; n < MEMBERS; n += 1) {
    const email = `m${String(n).padStart(2, '0')}@example.com`;
    granted(
      await calls.addMember({
        workspace: 'acme',
        email,
        name: `Member_${n} 100%`,
        role: n % 5 === 0 ? 'admin' : 'member',
      }),
    );
    if (n % 3 === 0) continue;
    await world.addDevice({ name: `Phone ${n}`, token: tokenOf(n), subscribe: n % 2 === 0 ? ['builds'] : [] }, email);
    await world.addDevice(
      { platform: 'android', name: `Tablet ${n}`, token: androidToken(`t${n}`), subscribe: [] },
      email,
    );
  }
  return { ...world, calls };
}

type Page = { readonly rows: readonly string[]; readonly next: string | null };

async function onAllPages(ask: (after: { readonly after?: string }) => Promise<Page>): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { rows, next } = await ask(after === undefined ? {} : { after });
    assert.ok(rows.length <= PAGE);
    found.push(...rows);
    after = next;
  }
  return found;
}

it('members are found by name, address, role, and by whether something reaches them, page by page', async (world) => {
  const { calls } = world;
  const all = (filter: Partial<ArgsOf<'findMembers'>>) =>
    onAllPages(async (after) => {
      const page = granted(await calls.findMembers({ workspace: 'acme', limit: PAGE, ...filter, ...after }));
      return { ...page, rows: page.members.map(({ email }) => email) };
    });
  const everyone = await all({});
  assert.is(everyone.length, MEMBERS);
  assert.equal(everyone, [...everyone].sort());
  assert.is((await all({ role: 'admin' })).length, 4);
  assert.equal(await all({ role: 'owner' }), [ADA]);
  assert.equal(await all({ q: 'member_7' }), ['m07@example.com'], 'in capitals or not; _ is no wild card');
  assert.equal(await all({ q: 'M12@' }), ['m12@example.com']);
  assert.is((await all({ q: '0%' })).length, MEMBERS - 1, 'nor is %');
  assert.is((await all({ hasDevice: false })).length, 1 + 8);
  assert.is((await all({ hasDevice: true, role: 'member' })).length, 13);
});

it('devices are found by name, person, platform, state and channel, page by page', async (world) => {
  const { calls } = world;
  const all = (filter: Partial<ArgsOf<'listDevices'>>) =>
    onAllPages(async (after) => {
      const page = granted(await calls.listDevices({ workspace: 'acme', limit: PAGE, ...filter, ...after }));
      return { ...page, rows: page.devices.map(({ name }) => name) };
    });
  assert.is((await all({})).length, 32);
  assert.is((await all({ platform: 'android' })).length, 16);
  assert.equal(await all({ q: 'tablet 7' }), ['Tablet 7']);
  assert.equal(await all({ q: 'm07@' }), ['Phone 7', 'Tablet 7']);
  assert.is((await all({ channel: 'builds' })).length, 8);
  assert.equal(await all({ channel: 'builds', q: 'Phone 2' }), ['Phone 2', 'Phone 20', 'Phone 22']);
  assert.is((await all({ status: 'inactive' })).length, 0);
  assert.is(refused(await calls.listDevices({ workspace: 'acme', limit: 1, channel: 'no' })).refused, 'not_found');
});

it('keys are found by name, id and state, in the order of their names, page by page', async (world) => {
  const { calls } = world;
  const all = (filter: Partial<ArgsOf<'findKeys'>> & { readonly wallMs?: number }) =>
    onAllPages(async (after) => {
      const page = granted(await calls.findKeys({ workspace: 'acme', limit: PAGE, ...filter, ...after }));
      return { ...page, rows: page.api_keys.map(({ name }) => name) };
    });
  const { id } = await world.issueKey({ name: 'Zeta_1', expires: { afterMs: HOUR_MS } });
  for (let n = 2 * PAGE; n > 0; n -= 1) await world.issueKey({ name: 'same' });
  granted(await calls.revokeKey({ id: (await world.issueKey({ name: 'alpha' })).id }));
  const names = ['alpha', ...Array.from({ length: 2 * PAGE }, () => 'same'), 'Zeta_1'];
  assert.equal(await all({}), names, 'capitals make no difference, and equal names are on one page each');
  assert.equal(await all({ q: 'A_1' }), ['Zeta_1']);
  assert.equal(await all({ q: id.slice(1) }), ['Zeta_1']);
  assert.equal(await all({ status: 'revoked' }), ['alpha']);
  assert.is((await all({ status: 'active' })).length, 2 * PAGE + 1);
  assert.equal(await all({ status: 'expired', wallMs: NOW_MS + HOUR_MS }), ['Zeta_1']);
  await world.addWorkspace('umbrella');
  assert.is(refused(await calls.findKeys({ workspace: 'umbrella', limit: 1, after: id })).refused, 'invalid');
});

it('heartbeats are found by name, slug and state, in the order of their slugs, page by page', async ({ calls }) => {
  const all = (filter: Partial<ArgsOf<'findHeartbeats'>> & { readonly wallMs?: number }) =>
    onAllPages(async (after) => {
      const page = granted(await calls.findHeartbeats({ workspace: 'acme', limit: PAGE, ...filter, ...after }));
      return { ...page, rows: page.heartbeats.map(({ slug }) => slug) };
    });
  for (let n = MEMBERS; n > 0; n -= 1) {
    const slug = `job-${String(n).padStart(2, '0')}`;
    granted(
      await calls.createHeartbeat({
        workspace: 'acme',
        channel: 'builds',
        slug,
        name: `Job_${n}`,
        every: 60,
        grace: 60,
      }),
    );
  }
  granted(await calls.pauseHeartbeat({ workspace: 'acme', slug: 'job-07' }));
  const everything = await all({});
  assert.equal([everything.length, everything], [MEMBERS, [...everything].sort()]);
  assert.equal(await all({ q: 'JOB_3' }), ['job-03']);
  assert.equal(await all({ q: 'b-12' }), ['job-12']);
  assert.equal(await all({ state: 'paused' }), ['job-07']);
  assert.is((await all({ state: 'new' })).length, MEMBERS - 1);
  const { uuid } = granted(await calls.showHeartbeat({ workspace: 'acme', slug: 'job-03' }));
  const ping = { kind: 'success', rid: null, output: null, exitStatus: null } as const;
  assert.is((await calls.pingHeartbeat({ uuid: uuid ?? '', ...ping })).kind, 'taken');
  assert.equal([await all({ state: 'up' }), await all({ state: 'late' })], [['job-03'], []]);
  const soon = { wallMs: NOW_MS + 90_000 };
  assert.equal([await all({ state: 'up', ...soon }), await all({ state: 'late', ...soon })], [[], ['job-03']]);
});

test('a device is shown to those who run a workspace of its person, and to no others', async (engine) => {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella');
  const id = await world.addDevice({ name: 'Phone' });
  const shown = granted(await world.calls.showDevice({ workspace: 'acme', id }));
  assert.equal([shown.name, shown.email, shown.channels], ['Phone', ADA, ['alerts']]);
  assert.is(refused(await world.calls.showDevice({ workspace: 'umbrella', id })).refused, 'not_found');
});

test('an event of another workspace is not sent again by those who do not run it', async (engine) => {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella');
  const { event } = await world.accept();
  const asked = { publicId: event.public_id };
  assert.is(refused(await world.calls.resendEvent({ ...asked, workspace: 'umbrella' })).refused, 'not_found');
  assert.is(refused(await world.calls.resendEvent({ ...asked, workspace: 'acme' })).refused, 'conflict');
});

run();
