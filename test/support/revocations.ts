import type { OnEngine } from './engines.ts';
import { idOf } from './people.ts';
import { claim } from './queue.ts';
import { aWorld, type World } from './world.ts';

/** A world in which one device's push is handed out. */
export async function oneHandedOut({ engine }: OnEngine) {
  const world = await aWorld({ engine });
  const deviceId = await world.addDevice();
  const { public_id: publicId } = (await world.accept()).event;
  const [batch] = await claim(world);
  if (!batch) throw new Error('nothing to claim');
  return { world, deviceId, publicId, batch };
}

export async function subscriptionOf(world: World, deviceId: string, channel = 'alerts') {
  return { userId: await idOf(world), deviceId, workspace: 'acme', channel };
}
