/**
 * A member came from another system with very many devices. What they ask, and what is asked about them, takes no
 * longer for it.
 */
import { v7 } from 'uuid';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { hashOf, idOf, signIn } from '../support/people.ts';
import { granted } from '../support/refusals.ts';
import { leastCpuMs, slowness } from '../support/thread-cpu.ts';
import { tokenOf } from '../support/workspace.ts';
import { aWorld, type SqliteWorld } from '../support/world.ts';

/** The time of the store thread, which everybody shares. */
const MOST_MS = 10;
const TRIES = 20;

/** `alerts` has 20,000 of the owner's devices, and 40 of them listen on 200 channels more. */
async function aCrowd(): Promise<SqliteWorld> {
  const world = await aWorld();
  world.db.pragma('synchronous = OFF');
  const slugs = Array.from({ length: 200 }, (_, n) => String(n).padStart(100, 'x'));
  for (const slug of slugs) granted(await world.calls.createChannel({ workspace: 'acme', slug }));
  const devices = (count: number, subscribe: readonly string[]) =>
    Array.from({ length: count }, (_, n) => ({ platform: 'ios' as const, token: tokenOf(n), subscribe }));
  await world.importDevices(devices(20_000, ['alerts']));
  await world.importDevices(devices(40, slugs));
  for (let n = 0; n < 100; n += 1) await world.accept();
  return world;
}

test('nothing that a person with very many devices asks holds the store up', async () => {
  const world = await aCrowd();
  const { calls, db } = world;
  const userId = await idOf(world);
  await signIn(world, 'token');
  const ids = db.prepare<[], string>('SELECT public_id FROM device ORDER BY id').pluck().all();
  const last = ids.at(-1) ?? '';
  const listening = { userId, deviceId: last, workspace: 'acme', channel: '0'.padStart(100, 'x') };
  const asked: Readonly<Record<string, (tried: number) => unknown>> = {
    listInbox: async () => granted(await calls.listInbox({ userId, limit: 100 })),
    listChannelsFor: async () => granted(await calls.listChannelsFor({ userId, workspace: 'acme' })),
    'listChannelsFor, in the middle': async () =>
      granted(await calls.listChannelsFor({ userId, workspace: 'acme', after: listening.channel })),
    listOwnDevices: async () => granted(await calls.listOwnDevices({ userId, limit: 100 })),
    'listOwnDevices, at the end': async () =>
      granted(await calls.listOwnDevices({ userId, limit: 100, after: ids.at(-200) ?? '' })),
    listDevices: async () => granted(await calls.listDevices({ workspace: 'acme', limit: 100 })),
    'listDevices, at the end': async () =>
      granted(await calls.listDevices({ workspace: 'acme', limit: 100, after: ids.at(-200) ?? '' })),
    subscribe: async () => granted(await calls.subscribe(listening)),
    unsubscribe: async () => granted(await calls.unsubscribe(listening)),
    updateDevice: async () => granted(await calls.updateDevice({ userId, id: last, name: 'Mine' })),
    'registerDevice, a known one': async () =>
      granted(await calls.registerDevice({ userId, platform: 'ios', token: tokenOf(19_999) })),
    testDevice: async () => granted(await calls.testDevice({ userId, id: last, uuid: v7() })),
    removeDevice: async (tried) => granted(await calls.removeDevice({ userId, id: ids[19_000 + tried] ?? '' })),
    findSession: async () => assert.ok(await calls.findSession({ tokenHash: hashOf('token') })),
    listSessions: async () => granted(await calls.listSessions({ email: ADA })),
    setMemberRole: async () => granted(await calls.setMemberRole({ workspace: 'acme', email: ADA, role: 'owner' })),
    changePassword: () => calls.changePassword({ userId, tokenHash: hashOf('token'), current: null, password: 'x' }),
    closeSession: () => calls.closeSession({ tokenHash: hashOf('token') }),
  };
  const slow: { name: string; ms: number }[] = [];
  for (const [name, call] of Object.entries(asked)) {
    const ms = await leastCpuMs(call, { most: TRIES, enoughMs: MOST_MS });
    if (ms > MOST_MS && ms > MOST_MS * (await slowness())) slow.push({ name, ms });
  }
  assert.equal(slow, []);
});

test.run();
