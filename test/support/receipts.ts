import { hash } from 'node:crypto';
import type { Receipt } from '../../src/store/calls.ts';
import { idOf } from './people.ts';
import { granted } from './refusals.ts';
import { tokenOf } from './workspace.ts';
import { NOW_MS, type World } from './world.ts';

export const hashOf = (token: string) => hash('sha256', token);

/** A device of the owner with a device token, which listens on `alerts`. */
export async function aReporter(world: World, nth = 50, token = `token ${nth}`): Promise<string> {
  const { calls } = world;
  const userId = await idOf(world);
  const registration = { userId, platform: 'ios', token: tokenOf(nth), deviceTokenHash: hashOf(token) } as const;
  const { id: deviceId } = granted(await calls.registerDevice(registration)).device;
  granted(await calls.subscribe({ userId, deviceId, workspace: 'acme', channel: 'alerts' }));
  return deviceId;
}

/** The device reports that it has shown the event; without `tokenHash` as the first of `aReporter`. */
export async function reportAs(
  world: World,
  id: string,
  publicId: string,
  more: Partial<Receipt> & { wallMs?: number } = {},
) {
  const { wallMs = NOW_MS, ...fields } = more;
  const receipt = { id, publicId, tokenHash: hashOf('token 50'), atMs: wallMs, opened: false, ...fields };
  const [answer] = await world.calls.recordReceipts({ reports: [receipt], wallMs });
  return answer?.kind;
}
