import * as assert from 'uvu/assert';
import { ADA, BOB, EVE } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const { it, onSqlite, run } = conformance('members', aWorld);

it('members are listed by their address in lower case', async ({ calls }) => {
  granted(await calls.addMember({ workspace: 'acme', email: ' Bob@Example.COM', name: 'Bob', role: 'admin' }));
  assert.equal(await calls.listMembers({ workspace: 'acme' }), [
    { email: ADA, name: ADA, role: 'owner' },
    { email: BOB, name: 'Bob', role: 'admin' },
  ]);
});

onSqlite('a member is added once, and one known from another workspace keeps name and password', async () => {
  const world = await aWorld();
  await world.addWorkspace('umbrella');
  const eve = { email: EVE, role: 'member' } as const;
  granted(await world.calls.addMember({ workspace: 'acme', ...eve, name: 'Eve', password: 'scrypt:1' }));
  assert.match(refused(await world.calls.addMember({ workspace: 'acme', ...eve })).message, 'already a member');
  assert.is(granted(await world.calls.addMember({ workspace: 'umbrella', ...eve, name: 'Other' })).name, 'Eve');
  assert.is(world.db.prepare(`SELECT password FROM person WHERE name = 'Eve'`).pluck().get(), 'scrypt:1');
});

it('an invalid address is refused', async ({ calls }) => {
  for (const email of ['', 'nobody', 'a b@example.com', `${'x'.repeat(250)}@example.com`]) {
    assert.is(refused(await calls.addMember({ workspace: 'acme', email, role: 'member' })).refused, 'invalid');
  }
});

it('leaving a workspace ends the subscriptions there and nowhere else, and queued pushes go to no device', async (world) => {
  await world.addWorkspace('umbrella', { channels: ['alerts'] });
  granted(await world.calls.addMember({ workspace: 'umbrella', email: ADA, role: 'member' }));
  await world.addDevice();
  const inUmbrella = { workspace: 'umbrella', email: ADA, ...aDevice({ subscribe: ['alerts'] }) };
  granted(await world.calls.addDevice(inUmbrella));
  await world.accept();
  await world.join(BOB, { role: 'owner' });
  assert.equal(await world.calls.removeMember({ workspace: 'acme', email: ADA }), {
    email: ADA,
    name: ADA,
    role: 'owner',
  });
  const lane = { route: 'apns_production', lane: 'standard', limit: 5, batchSize: 5 } as const;
  assert.equal((await world.calls.claimBatches(lane)).claims, []);
  const [device] = granted(await world.calls.listDevices({ workspace: 'umbrella', limit: 100 })).devices;
  assert.equal(device?.channels, ['alerts']);
});

it('a person who leaves the last workspace is forgotten, with devices and pairing codes', async (world) => {
  const tables = ['person', 'member', 'device', 'subscription', 'pairing_code'];
  const before = await Promise.all(tables.map(world.countRows));
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(1) }, BOB);
  granted(await world.calls.createPairingCode({ email: BOB, codeHash: 'ab'.repeat(32), lifeMs: 1 }));
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.equal(await Promise.all(tables.map(world.countRows)), before);
  assert.is(refused(await world.calls.removeMember({ workspace: 'acme', email: BOB })).refused, 'not_found');
});

onSqlite('a new pairing code voids the earlier ones of this user', async () => {
  const world = await aWorld();
  const code = { email: ADA, lifeMs: 900_000 };
  granted(await world.calls.createPairingCode({ ...code, codeHash: 'ab'.repeat(32) }));
  granted(await world.calls.createPairingCode({ ...code, codeHash: 'cd'.repeat(32) }));
  assert.equal(world.db.prepare('SELECT lower(hex(code_hash)) AS hash, expires_at FROM pairing_code').all(), [
    { hash: 'cd'.repeat(32), expires_at: NOW_MS + 900_000 },
  ]);
  assert.is(
    refused(await world.calls.createPairingCode({ ...code, email: 'x@y.z', codeHash: 'ef'.repeat(32) })).refused,
    'not_found',
  );
});

run();
