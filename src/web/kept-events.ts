import { connection } from './api/connection.ts';
import type { Inbox, WholeEvent } from './api/event-types.ts';
import { mergedInbox } from './api/merged-lists.ts';
import type { Answer } from './api/problem.ts';
import { serverNow } from './clock.ts';
import { KEPT_EVENTS } from './messages.ts';
import { emailHere } from './session.ts';

/** The number of kept inbox events, and likewise of opened ones. */
const MOST = 100;
const INBOX = '/kept/inbox';
const ALERTS = '/kept/alerts';

/** A kept answer and its time. */
interface Kept<T> {
  readonly data: T;
  readonly atMs: number;
}
type LoadInbox = (filter: object, page: { readonly before: string; readonly limit: number }) => Promise<Answer<Inbox>>;
type KeptInbox = Pick<Inbox, 'events' | 'next' | 'unread'>;

/** Keeps the newest inbox events for an offline start. `page`: the unfiltered inbox's first. */
export async function keepInbox(page: Inbox, load: LoadInbox): Promise<void> {
  const before = await read<KeptInbox>(INBOX);
  const whole = mergedInbox<Inbox['events'][number], KeptInbox>(before?.data ?? null, page);
  const { events, next } = await filledUp(whole, load);
  const isCut = events.length > MOST;
  const cutAt = isCut ? (events[MOST - 1]?.public_id ?? null) : next;
  await write(INBOX, { events: events.slice(0, MOST), next: cutAt, unread: page.unread });
}

/** Adds earlier events up to the limit, since the first page has fewer. */
async function filledUp(page: KeptInbox, load: LoadInbox): Promise<Pick<KeptInbox, 'events' | 'next'>> {
  const missing = MOST - page.events.length;
  if (missing <= 0 || page.next === null) return page;
  const earlier = await load({}, { before: page.next, limit: missing });
  return earlier.ok ? { events: [...page.events, ...earlier.data.events], next: earlier.data.next } : page;
}

/** Returns and keeps the alerts above the inbox; offline, returns the kept ones. */
export function knownAlerts<T>(loaded: Answer<T>): Promise<Answer<T>> {
  if (loaded.ok) void write(ALERTS, loaded.data).catch(() => undefined);
  return orKept(loaded, () => read<T>(ALERTS));
}

/** Keeps an opened event, dropping the oldest. */
export async function keepEvent(whole: WholeEvent): Promise<void> {
  await write(addressOf(whole.event.public_id), whole);
  const cache = await caches.open(KEPT_EVENTS);
  const opened = (await cache.keys()).filter(({ url }) => ![INBOX, ALERTS].includes(new URL(url).pathname));
  for (const request of opened.slice(0, -MOST)) await cache.delete(request);
}

/** Returns kept data if the server is unreachable; else the answer. */
export async function orKept<T>(answer: Answer<T>, find: () => Promise<Kept<T> | null>): Promise<Answer<T>> {
  if (answer.ok || (answer.problem.kind !== 'offline' && answer.problem.kind !== 'away')) return answer;
  const kept = await find();
  if (kept === null) return answer;
  connection.showsKept(kept.atMs);
  return { ok: true, data: kept.data };
}

export function keptInbox(): Promise<Kept<Inbox> | null> {
  return read<Inbox>(INBOX);
}

/** Returns the event as opened, else as in the inbox. */
export async function keptEvent(publicId: string): Promise<Kept<WholeEvent> | null> {
  const opened = await read<WholeEvent>(addressOf(publicId));
  if (opened !== null) return opened;
  const inbox = await read<KeptInbox>(INBOX);
  const event = inbox?.data.events.find((event) => event.public_id === publicId);
  const absent = { alert: null, on_call: null, notified: [], own_devices: [] };
  return inbox && event ? { atMs: inbox.atMs, data: { event, ...absent } } : null;
}

function addressOf(publicId: string): string {
  return `/kept/events/${publicId}`;
}

/** Deletes first: the new entry is last in the cache. */
async function write(address: string, data: unknown): Promise<void> {
  const cache = await caches.open(KEPT_EVENTS);
  // Checked after opening: a session ending now removes the cache with its entry.
  const email = emailHere();
  if (email === null) return;
  await cache.delete(address);
  await cache.put(address, new Response(JSON.stringify({ data, atMs: serverNow(), email })));
}

/** Returns the signed-in person's kept data; null: none. */
async function read<T>(address: string): Promise<Kept<T> | null> {
  try {
    const response = await caches.match(address, { cacheName: KEPT_EVENTS });
    const kept = response && ((await response.json()) as Kept<T> & { readonly email: string });
    return kept && kept.email === emailHere() ? kept : null;
  } catch {
    return null;
  }
}
