import * as assert from 'uvu/assert';
import { assertEach } from '../support/assert-each.ts';
import { conformance } from '../support/engines.ts';
import { idOf } from '../support/people.ts';
import { granted, refused } from '../support/refusals.ts';
import { aDevice } from '../support/workspace.ts';
import { aWorld } from '../support/world.ts';

/** The two kinds that PostgreSQL holds in no text. */
const ODD = ['a\0b', 'a\ud800b'];
const { it, run } = conformance('texts with U+0000 or half of a surrogate pair', aWorld);

it('nothing is found by them', async ({ calls, workspaceId }) => {
  for (const odd of ODD) {
    assert.is(await calls.findUser({ email: `${odd}@example.com` }), null);
    assert.is(await calls.readEvent({ workspaceId, boundKeyId: null, publicId: odd }), null);
    assert.is(refused(await calls.showDevice({ workspace: 'acme', id: odd })).refused, 'not_found');
    assert.is(refused(await calls.removeMember({ workspace: 'acme', email: odd })).refused, 'not_found');
    assert.is(refused(await calls.deleteChannel({ workspace: 'acme', slug: odd })).refused, 'not_found');
  }
});

it('a device that has one is registered and imported, and its app’s version is read again', async (world) => {
  const [first = '', second = ''] = ODD;
  const userId = await idOf(world);
  const { subscribe: _, ...device } = aDevice({ appVersion: first });
  granted(await world.calls.registerDevice({ userId, ...device }));
  await world.importDevices([aDevice({ token: 'cd'.repeat(32), appVersion: second })]);
  const { devices } = granted(await world.calls.listOwnDevices({ userId, limit: 10 }));
  assertEach(devices, ({ app_version: version }) => version?.replace(/[\0\ud800]/, '\uFFFD'), ['a\uFFFDb', 'a\uFFFDb']);
});

run();
