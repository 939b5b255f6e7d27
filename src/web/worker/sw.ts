import { forgetSession } from '../forget.ts';
import { CHANNEL_NAMES, CHOICES, DEVICE_KEY, type KnownDevice, OPEN_HERE, THIS_DEVICE } from '../messages.ts';
import { texts as de } from '../texts/de/worker.ts';
import { texts as en } from '../texts/worker.ts';
import { filled } from '../translation.ts';
import { fromStorage, within } from '../within.ts';
import { channelOf, isOldNews, notificationOf, placeName, type Shown, silenced, type Words } from './notification.ts';
import { keepLinks, report } from './receipts.ts';
import { findRedundant, givingWay, isRedundant } from './room.ts';
import { answerFromShell, forgetOldShells, keepShell, keptLanguage } from './shell-cache.ts';
import { type Known, renew, reportUnknown } from './subscription.ts';
import { acknowledge, alertPage, click, keepTap, markRead, ownPage, shownAgain } from './taps.ts';

declare const self: ServiceWorkerGlobalScope;

const WORDS: Readonly<Record<string, Words>> = { en, de: filled(de, en) as Words };
/** Browsers stop workers busy for long, and may count that against pushes. */
const AFTERWARDS_MS = 5_000;
/** A person waits after a tap. */
const ANSWER_MS = 5_000;

// Each push must first show a notification: browsers end subscriptions of apps that do not.
self.addEventListener('push', (event) => {
  event.waitUntil(show(textOf(event.data)));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { action, notification } = event;
  const { data } = notification;
  const afterwards = [markRead(data, askServer), report(data, true, known, askInTime)];
  event.waitUntil(Promise.all([clicked(action, notification), ...afterwards]));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event as ExtendableEvent & Parameters<typeof renew>[0], self.registration, askServer, known));
});

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(forgetOldShells().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const answer = answerFromShell(event);
  if (answer !== null) event.respondWith(answer);
});

async function show(text: string): Promise<void> {
  const of = channelOf(text);
  const naming = of ? placeName(of, keptNames) : Promise.resolve(null);
  const [name, language] = (await fromStorage(Promise.all([naming.catch(() => null), keptLanguage()]))) ?? [null, 'en'];
  const whole = notificationOf(text, wordsIn(language), name);
  // Uses `fetch`, not `askServer`: an ended session keeps its shown notifications.
  const { title, options } = (await isOldNews(whole.options.data, fetch)) ? silenced(whole) : whole;
  lastShown = present({ title, options }, lastShown);
  await lastShown;
  const afterwards = [
    report(options.data, false, known, askInTime),
    keepLinks(options.data, options.image),
    reportUnknown(self.registration, askInTime, known),
  ];
  await within(AFTERWARDS_MS, Promise.allSettled(afterwards));
}

/** The previous notification. They are shown in turn: two at once would count on the same room. */
let lastShown: Promise<unknown> = Promise.resolve();

async function present(notification: Shown, previous: Promise<unknown>): Promise<void> {
  const { title } = notification;
  // Some browsers drop notifications' timestamps.
  const data = { ...notification.options.data, told_ms: notification.options.timestamp };
  const options = { ...notification.options, data };
  await fromStorage(previous);
  const shown = (await fromStorage(self.registration.getNotifications())) ?? [];
  for (const other of [...givingWay(options, shown), ...findRedundant(options, shown)]) other.close();
  await self.registration.showNotification(title, options);
  if (options.tag === undefined || !isRedundant(options, shown)) return;
  // Waits for the notification: each push must show something.
  const again = (await fromStorage(self.registration.getNotifications({ tag: options.tag }))) ?? [];
  for (const notification of again) notification.close();
}

async function keptNames(address: string): Promise<unknown> {
  return (await caches.match(address, { cacheName: CHANNEL_NAMES }))?.json();
}

/** Returns a language's texts. The one worker contains all languages. */
function wordsIn(language: string): Words {
  return WORDS[language] ?? en;
}

const known: Known = {
  async find() {
    const kept = await fromStorage(caches.match(DEVICE_KEY, { cacheName: THIS_DEVICE }));
    return kept ? ((await kept.json()) as KnownDevice) : null;
  },
  async keep(device) {
    // The app may have ended the device meanwhile.
    if (!(await caches.has(THIS_DEVICE))) return;
    await (await caches.open(THIS_DEVICE)).put(DEVICE_KEY, new Response(JSON.stringify(device)));
  },
};

async function clicked(action: string, notification: Notification): Promise<void> {
  const { title, data } = notification;
  if (action !== 'acknowledge') {
    await click(await chosen(data), location.origin, self.clients);
    return;
  }
  const outcome = await acknowledge(data, askServer);
  // Kept before the alert's page opens, which looks for it.
  if (outcome !== 'refused') await fromStorage(keepTap(data, outcome === 'done'));
  if (outcome === 'silent') {
    const language = (await fromStorage(keptLanguage())) ?? 'en';
    await self.registration.showNotification(title, shownAgain(notification, wordsIn(language)));
  } else if (outcome !== 'done') {
    await click(alertPage(data), location.origin, self.clients);
  }
}

/** Returns the event's link, or its page if preferred. */
async function chosen(data: unknown): Promise<unknown> {
  const isHere = await fromStorage(caches.match(OPEN_HERE, { cacheName: CHOICES }));
  return isHere ? ownPage(data) : data;
}

/** Sends a request as the signed-in person. A 401 only means an ended session. */
async function askServer(...[address, options]: Parameters<typeof fetch>): Promise<Response> {
  const answer = await askInTime(address, options);
  if (answer.status === 401) await fromStorage(forgetSession(self.registration));
  return answer;
}

function askInTime(...[address, options]: Parameters<typeof fetch>): Promise<Response> {
  return fetch(address, { signal: AbortSignal.timeout(ANSWER_MS), ...options });
}

function textOf(data: PushMessageData | null): string {
  return data?.text() ?? '';
}
