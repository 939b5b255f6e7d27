import { KEPT_LINKS, KEPT_RECEIPTS, type KeptLinks, linkKey, receiptKey, SIGNED_OUT } from '../messages.ts';
import { eventIdIn } from './notification.ts';
import type { Known } from './subscription.ts';

/** The most reports kept and sent at once. */
const MOST = 20;

interface Report {
  readonly event_id: string;
  readonly at: string;
  readonly opened?: true;
}

/** The used members of a cache. */
type Kept = Pick<Cache, 'put' | 'delete' | 'match'> & { keys(): Promise<readonly { readonly url: string }[]> };

/**
 * Reports that this device has shown a push, or a person opened it, if the push asks. Undelivered reports are kept and
 * sent with the next.
 */
export async function report(
  data: unknown,
  isOpened: boolean,
  known: Known,
  ask: typeof fetch,
  open: () => Promise<Kept | null> = () => openForPerson(KEPT_RECEIPTS),
  nowMs = Date.now(),
): Promise<void> {
  const id = eventIdIn(data, 'receipt');
  const device = id === null ? null : await known.find();
  if (id === null || device === null || !device.token) return;
  const current: Report = { event_id: id, at: new Date(nowMs).toISOString(), ...(isOpened && { opened: isOpened }) };
  const kept = await open().catch(() => null);
  const earlier = kept === null ? [] : await keptReports(kept);
  const answer = await ask(`/api/v1/devices/${device.id}/shown`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${device.token}` },
    body: JSON.stringify({ ...current, earlier: earlier.map(({ report }) => report) }),
  }).catch(() => null);
  const isToRepeat = answer === null || answer.status === 429 || answer.status >= 500;
  // The app's next check-in gets another token.
  if (answer?.status === 401) await known.keep({ ...device, token: null });
  if (kept !== null) await (isToRepeat ? keep(kept, current, earlier) : forget(kept, earlier));
}

interface KeptReport {
  readonly key: string;
  readonly report: Report;
}

/** Reads kept reports, oldest first. */
async function keptReports(kept: Kept): Promise<readonly KeptReport[]> {
  const found: KeptReport[] = [];
  for (const { url: key } of (await kept.keys()).slice(-MOST)) {
    const answer = await kept.match(key);
    if (answer !== undefined) found.push({ key, report: (await answer.json()) as Report });
  }
  return found;
}

async function keep(kept: Kept, report: Report, earlier: readonly KeptReport[]): Promise<void> {
  await kept.put(receiptKey(report.event_id, report.opened === true), new Response(JSON.stringify(report)));
  await forget(kept, earlier.slice(0, Math.max(0, earlier.length + 1 - MOST)));
}

async function forget(kept: Kept, reports: readonly KeptReport[]): Promise<void> {
  for (const { key } of reports) await kept.delete(key);
}

const MOST_LINKS = 500;
const LIFE_MS = 30 * 86_400_000;

/** The used members of a cache. */
type LinkCache = Pick<Cache, 'put' | 'delete'> & { keys(): Promise<readonly { readonly url: string }[]> };

/**
 * Keeps an event's links on this device, since no server stores them. They are removed after 30 days, beyond 500
 * events, or when the session ends. `image`: the notification's.
 */
export async function keepLinks(
  data: unknown,
  image: unknown,
  open: () => Promise<LinkCache | null> = () => openForPerson(KEPT_LINKS),
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
  for (const url of [...all.filter(isOld), ...others.slice(0, -MOST_LINKS)]) await links.delete(url);
}

function isLink(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value);
}

/** Opens a cache of the signed-in person; null: nobody is signed in. */
export async function openForPerson(name: string): Promise<Cache | null> {
  const cache = await caches.open(name);
  // Checked after opening: a session ending now removes the cache with its entry.
  if (!(await caches.has(SIGNED_OUT))) return cache;
  await caches.delete(name);
  return null;
}
