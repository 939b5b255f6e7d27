import { KEPT_LINKS, type KeptLinks, linkKey } from '../messages.ts';
import { eventIdIn } from './event-id.ts';
import { openForPerson } from './open-for-person.ts';

const MOST = 500;
const LIFE_MS = 30 * 86_400_000;

/** The used members of a cache. */
type Kept = Pick<Cache, 'put' | 'delete'> & { keys(): Promise<readonly { readonly url: string }[]> };

/**
 * Keeps an event's links on this device, since no server stores them. They are removed after 30 days, beyond 500
 * events, or when the session ends. `image`: the notification's.
 */
export async function keepLinks(
  data: unknown,
  image: unknown,
  open: () => Promise<Kept | null> = () => openForPerson(KEPT_LINKS),
  nowMs = Date.now(),
): Promise<void> {
  const id = eventIdIn(data);
  if (id === null) return;
  const { url } = data as { readonly url?: unknown };
  const kept: KeptLinks = { ...(isLink(url) && { url }), ...(isLink(image) && { image }) };
  if (Object.keys(kept).length === 0) return;
  const links = await open();
  if (links === null) return;
  await links.put(`${linkKey(id)}?until=${nowMs + LIFE_MS}`, new Response(JSON.stringify(kept)));
  const all = (await links.keys()).map(({ url }) => url);
  const isOld = (url: string) => Number(new URL(url).searchParams.get('until')) < nowMs;
  const others = all.filter((url) => !isOld(url));
  for (const url of [...all.filter(isOld), ...others.slice(0, -MOST)]) await links.delete(url);
}

function isLink(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value);
}
