import { CHANNEL_NAMES, namesKey } from '../messages.ts';

/** What people see of a channel that a push names, as far as a page of this browser has known it. */
export async function channelName(workspace: string, channel: string): Promise<string | null> {
  const kept = await caches.match(namesKey(workspace), { cacheName: CHANNEL_NAMES });
  const names: unknown = await kept?.json();
  if (typeof names !== 'object' || names === null) return null;
  const name = new Map<string, unknown>(Object.entries(names)).get(channel);
  return typeof name === 'string' ? name : null;
}
