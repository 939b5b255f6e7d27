import type { OwnDevice } from '../../src/store/calls/own-devices.ts';
import type { NewDevice } from '../../src/store/calls.ts';
import { ADA } from './cast.ts';
import { idOf } from './people.ts';
import { granted } from './refusals.ts';
import { NOW_MS, type World } from './world.ts';

export async function register(
  { calls }: World,
  device: Omit<NewDevice, 'subscribe'> & { replaces?: string },
  email = ADA,
  wallMs = NOW_MS,
): Promise<{ device: OwnDevice; created: boolean }> {
  return granted(await calls.registerDevice({ userId: await idOf({ calls }, email), wallMs, ...device }));
}

export async function update(
  { calls }: World,
  change: { id: string; token?: string; app?: string; name?: string; wallMs?: number },
  email = ADA,
): Promise<OwnDevice> {
  return granted(await calls.updateDevice({ userId: await idOf({ calls }, email), ...change }));
}

export async function listen(world: World, { id: deviceId }: OwnDevice): Promise<void> {
  granted(await world.calls.subscribe({ userId: await idOf(world), deviceId, workspace: 'acme', channel: 'alerts' }));
}
