import * as assert from 'uvu/assert';
import { assertEach } from '../support/assert-each.ts';
import { ADA, BOB, CARL, EVE } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { claim, settle } from '../support/queue.ts';
import { granted, refused } from '../support/refusals.ts';
import { tokenOf } from '../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../support/world.ts';

const KEY = { id: 'k'.repeat(12), secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
const { it, run } = conformance('dashboard', aWorld);

it('a key of another workspace is not there, to revoke or to rotate', async ({ calls, ...world }) => {
  await world.addWorkspace('umbrella');
  granted(await calls.issueKey({ workspace: 'umbrella', ...KEY }));
  const rotation = { id: KEY.id, newId: 'n'.repeat(12), secretHash: 'cd'.repeat(32), graceMs: 0 };
  const here = { workspace: 'acme' };
  const foreign = refused(await calls.revokeKey({ id: KEY.id, ...here }));
  const unknown = refused(await calls.revokeKey({ id: 'u'.repeat(12), ...here }));
  assert.equal(JSON.stringify(foreign), JSON.stringify(unknown).replaceAll('u'.repeat(12), KEY.id));
  assert.is(refused(await calls.rotateKey({ ...rotation, ...here })).refused, 'not_found');
  assert.is((await calls.findKey({ id: KEY.id }))?.revokedAtMs, null);
  assert.is(granted(await calls.rotateKey({ ...rotation, workspace: 'umbrella' })).api_key.id, rotation.newId);
  assert.is(granted(await calls.revokeKey({ id: KEY.id, workspace: 'umbrella' })).status, 'revoked');
});

it('a channel is renamed and deactivated in one step, and keeps its other fields', async ({ calls }) => {
  const channel = { workspace: 'acme', slug: 'alerts' };
  const changed = {
    slug: 'alerts',
    name: 'Deployments',
    status: 'inactive',
    device_count: 0,
    insist: null,
    quiet: null,
    rings: null,
  };
  assert.equal(await calls.updateChannel({ ...channel, name: 'Deployments', status: 'inactive' }), changed);
  assert.equal(await calls.updateChannel({ ...channel, status: 'active' }), { ...changed, status: 'active' });
  assert.equal(await calls.updateChannel(channel), { ...changed, status: 'active' });
  assert.is(refused(await calls.updateChannel({ ...channel, name: '' })).detail?.field, 'name');
  assert.equal(await calls.listChannels({ workspace: 'acme' }), [{ ...changed, status: 'active' }]);
});

it('the devices of a workspace come page by page with their owners, those of others never', async (world) => {
  await world.addWorkspace('umbrella');
  const names = [BOB, CARL];
  for (const email of names) await world.join(email);
  await world.join(EVE, { workspace: 'umbrella' });
  const owners = [ADA, ADA, ADA, BOB, CARL, CARL];
  const added = await Promise.all(
    owners.map(async (email, n) => [await world.addDevice({ token: tokenOf(n) }, email), email]),
  );
  const foreign = { workspace: 'umbrella', email: EVE, platform: 'ios', token: tokenOf(99) } as const;
  const { device } = granted(await world.calls.addDevice(foreign));
  for (const limit of [1, 2, 5, 100]) {
    const seen: string[][] = [];
    let next: string | null | undefined;
    do {
      const from = { workspace: 'acme', limit, ...(next && { after: next }) };
      const page = granted(await world.calls.listDevices(from));
      seen.push(...page.devices.map(({ id, email }) => [id, email]));
      next = page.next;
    } while (next);
    assert.equal(seen, added, `pages of ${limit}`);
  }
  assert.is(
    refused(await world.calls.listDevices({ workspace: 'acme', limit: 1, after: device.id })).detail?.field,
    'after',
  );
  const [firstOfBob = ''] = added.find(([, email]) => email === BOB) ?? [];
  const ofBob = granted(await world.calls.listDevices({ workspace: 'acme', email: BOB, limit: 5 }));
  assert.equal([ofBob.devices.map(({ id }) => id), ofBob.next], [[firstOfBob], null]);
  const withForeignCursor = { workspace: 'acme', email: ADA, limit: 1, after: firstOfBob };
  assert.is(refused(await world.calls.listDevices(withForeignCursor)).detail?.field, 'after');
});

it('the statistics of a workspace show nothing of others', async (world) => {
  await world.addDevice();
  const { workspaceId: elsewhere } = await world.addWorkspace('umbrella', { channels: ['alerts'] });
  await world.accept();
  await world.accept({ workspaceId: elsewhere });
  for (const batch of await claim(world)) await settle(world, batch, { state: 'accepted' }, NOW_MS);
  const asked = { workspace: 'umbrella', by: 'hour', sinceMs: NOW_MS - HOUR_MS } as const;
  const seen = granted(await world.calls.stats(asked));
  assertEach(seen.series, ({ events, accepted }) => [events, accepted], [[1, 0]]);
  assert.not.ok(JSON.stringify(seen).includes('acme'));
  assert.equal(seen.routes, []);
});

run();
