import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../src/store/calls.ts';
import { androidToken } from '../../support/android-token.ts';
import { ADA } from '../../support/cast.ts';
import { conformance, type OnEngine } from '../../support/engines.ts';
import { granted, refused } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { aWorld } from '../../support/world.ts';

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
