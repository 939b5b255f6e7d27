import { claim } from './queue.ts';
import { granted } from './refusals.ts';
import { HOUR_MS, NOW_MS, type World } from './world.ts';

export const AT_MS = NOW_MS + HOUR_MS;
export const LATER = { sendAtMs: AT_MS } as const;
export const DAY_MS = 24 * HOUR_MS;

/** Does the server's work at that time, until nothing is due any more. Answers how many events went out. */
export async function releasedAt(world: World, wallMs: number): Promise<number> {
  let released = 0;
  while ((await world.calls.nextRelease({ wallMs })).inMs === 0) {
    released += (await world.calls.releaseDue({ wallMs })).released.length;
  }
  return released;
}

export async function claimedAt(world: World, atMs: number): Promise<readonly string[]> {
  const claims = await claim(world, { atMs });
  return claims.flatMap(({ events }) => events.map(({ event }) => event.publicId));
}

export function read({ calls, workspaceId }: World, publicId: string) {
  return calls.readEvent({ workspaceId, boundKeyId: null, publicId });
}

export async function listed({ calls }: World): Promise<readonly string[]> {
  const { events } = granted(await calls.listEvents({ workspace: 'acme', limit: 50 }));
  return events.map(({ public_id }) => public_id);
}
