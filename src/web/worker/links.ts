import { KEPT_LINKS, linkKey } from '../messages.ts';

const MOST = 500;
const LIFE_MS = 30 * 86_400_000;

/** As much of a cache as is used. */
type Kept = Pick<Cache, 'put' | 'delete'> & { keys(): Promise<readonly { readonly url: string }[]> };

/**
 * Keeps the link of an event, which no server stores, for its page on this device: until the event is old, many others
 * have come, or the user signs out.
 */
export async function keepLink(
  data: unknown,
  open: () => Promise<Kept> = () => caches.open(KEPT_LINKS),
  nowMs = Date.now(),
): Promise<void> {
  if (!hasLink(data)) return;
  const links = await open();
  await links.put(`${linkKey(data.event_id)}?until=${nowMs + LIFE_MS}`, new Response(data.url));
  const kept = (await links.keys()).map(({ url }) => url);
  const isOld = (url: string) => Number(new URL(url).searchParams.get('until')) < nowMs;
  const others = kept.filter((url) => !isOld(url));
  for (const url of [...kept.filter(isOld), ...others.slice(0, -MOST)]) await links.delete(url);
}

function hasLink(data: unknown): data is { readonly event_id: string; readonly url: string } {
  if (typeof data !== 'object' || data === null || !('event_id' in data) || !('url' in data)) return false;
  return /^evt_\w+$/.test(String(data.event_id)) && /^https?:\/\//.test(String(data.url));
}
