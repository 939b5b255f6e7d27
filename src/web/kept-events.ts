import { connection } from './api/connection.ts';
import type { Inbox, WholeEvent } from './api/event-types.ts';
import { mergedInbox } from './api/merged-inbox.ts';
import type { Answer } from './api/problem.ts';
import { serverNow } from './clock.ts';
import { KEPT_EVENTS } from './messages.ts';
import { emailHere } from './session.ts';

/** So many of the inbox are kept, and as many of those that were opened. */
const MOST = 100;
const INBOX = '/kept/inbox';
const ALERTS = '/kept/alerts';

/** What was kept, and when it was so. */
export interface Kept<T> {
  readonly data: T;
  readonly atMs: number;
}
type LoadInbox = (filter: object, page: { readonly before: string; readonly limit: number }) => Promise<Answer<Inbox>>;
type KeptInbox = Pick<Inbox, 'events' | 'next' | 'unread'>;

/** The newest events of the inbox, for a start without a network. `page`: the newest page of all of it. */
export async function keepInbox(page: Inbox, load: LoadInbox): Promise<void> {
  const before = await read<KeptInbox>(INBOX);
  const whole = mergedInbox<Inbox['events'][number], KeptInbox>(before?.data ?? null, page);
  const { events, next } = await filledUp(whole, load);
  const isCut = events.length > MOST;
  const cutAt = isCut ? (events[MOST - 1]?.public_id ?? null) : next;
  await write(INBOX, { events: events.slice(0, MOST), next: cutAt, unread: page.unread });
}

/** The first time a page is less than is kept. */
async function filledUp(page: KeptInbox, load: LoadInbox): Promise<Pick<KeptInbox, 'events' | 'next'>> {
  const missing = MOST - page.events.length;
  if (missing <= 0 || page.next === null) return page;
  const earlier = await load({}, { before: page.next, limit: missing });
  return earlier.ok ? { events: [...page.events, ...earlier.data.events], next: earlier.data.next } : page;
}

/** The alerts that stand above the inbox: kept, and where they could not be had, what was. */
export function knownAlerts<T>(loaded: Answer<T>): Promise<Answer<T>> {
  if (loaded.ok) void write(ALERTS, loaded.data).catch(() => undefined);
  return orKept(loaded, () => read<T>(ALERTS));
}

/** An event that was opened. The earliest opened ones give way. */
export async function keepEvent(whole: WholeEvent): Promise<void> {
  await write(addressOf(whole.event.public_id), whole);
  const cache = await caches.open(KEPT_EVENTS);
  const opened = (await cache.keys()).filter(({ url }) => ![INBOX, ALERTS].includes(new URL(url).pathname));
  for (const request of opened.slice(0, -MOST)) await cache.delete(request);
}

/** Of an answer that could not be had, what was kept; else the answer. */
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

/** As it was opened, else as the inbox had it. */
export async function keptEvent(publicId: string): Promise<Kept<WholeEvent> | null> {
  const opened = await read<WholeEvent>(addressOf(publicId));
  if (opened !== null) return opened;
  const inbox = await read<KeptInbox>(INBOX);
  const event = inbox?.data.events.find((one) => one.public_id === publicId);
  return inbox && event ? { atMs: inbox.atMs, data: { event, alert: null, notified: [] } } : null;
}

function addressOf(publicId: string): string {
  return `/kept/events/${publicId}`;
}

/** Put again, so that it is the last in the cache. */
async function write(address: string, data: unknown): Promise<void> {
  const cache = await caches.open(KEPT_EVENTS);
  // Not before: when the session ends now, this cache is removed with what is put into it.
  const email = emailHere();
  if (email === null) return;
  await cache.delete(address);
  await cache.put(address, new Response(JSON.stringify({ data, atMs: serverNow(), email })));
}

/** null: nothing is kept of who is signed in here. */
async function read<T>(address: string): Promise<Kept<T> | null> {
  try {
    const response = await caches.match(address, { cacheName: KEPT_EVENTS });
    const kept = response && ((await response.json()) as Kept<T> & { readonly email: string });
    return kept && kept.email === emailHere() ? kept : null;
  } catch {
    return null;
  }
}
