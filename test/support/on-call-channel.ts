import type { InsistPolicy } from '../../src/contract/ringing.ts';
import type { Verdict } from '../../src/store/calls.ts';
import { insist } from './alerts.ts';
import { BOB, CARL } from './cast.ts';
import type { Engine } from './engines.ts';
import { claim, settle } from './queue.ts';
import { granted } from './refusals.ts';
import { tokenOf, userIdOf } from './workspace.ts';
import { aWorld, NOW_MS, type World, type WorldOptions } from './world.ts';

/** Daily at 09:00 in UTC, half an hour before NOW_MS, from Bob to Carl. */
export const ROTA = { workspace: 'acme', slug: 'payments' } as const;

const PEOPLE = ['ada', 'bob', 'carl'] as const;
type Name = (typeof PEOPLE)[number];
const TOKENS = new Map(PEOPLE.map((name, nth) => [tokenOf(nth + 1), name]));

/** Ada, Bob and Carl, each with an iOS device on `alerts`. Bob is on call there, then Carl. */
export async function anOnCallWorld(
  options: WorldOptions & { readonly engine: Engine },
  policy: Partial<InsistPolicy> = {},
): Promise<World> {
  const world = await aWorld(options);
  for (const email of [BOB, CARL]) await world.join(email);
  for (const [token, name] of TOKENS) await world.addDevice({ token, name: `${name}'s` }, `${name}@example.com`);
  const handover = { every: 'day', at: '09:00' } as const;
  granted(await world.calls.createRota({ ...ROTA, members: [BOB, CARL], handover }));
  await insistByRota(world, policy);
  return world;
}

export async function insistByRota(world: World, policy: Partial<InsistPolicy> = {}, slug = 'alerts'): Promise<void> {
  await insist(world, { on_call: { rota: ROTA.slug, widen_after: 300 }, ...policy }, slug);
}

/** Returns who gets a push at that time: `bob`, and without a sound `ada quietly`. By default the provider accepts all. */
export async function heardAt(
  world: World,
  atMs = NOW_MS,
  verdict: Verdict = { state: 'accepted' },
): Promise<readonly string[]> {
  const heard: string[] = [];
  for (const lane of ['urgent', 'standard'] as const) {
    for (const batch of await claim(world, { lane, atMs })) {
      for (const { token, event } of batch.targets) {
        const isQuiet = batch.events[event]?.event.quiet === true;
        heard.push(`${TOKENS.get(token) ?? token}${isQuiet ? ' quietly' : ''}`);
      }
      await settle(world, batch, verdict, atMs);
    }
  }
  return heard.toSorted();
}

/** Names a person's device for calls of that person. */
export async function deviceOf(
  world: World,
  name: Name,
): Promise<{ readonly userId: number; readonly deviceId: string }> {
  const { devices } = granted(await world.calls.listDevices({ workspace: 'acme', limit: 100 }));
  const deviceId = devices.find((device) => device.name === `${name}'s`)?.id ?? '';
  return { userId: await userIdOf(world.calls, `${name}@example.com`), deviceId };
}
