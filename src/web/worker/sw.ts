import { isForWorker, KEPT_LINKS } from '../messages.ts';
import { acknowledge, alertPage } from './acknowledge.ts';
import { click } from './click.ts';
import { keepLink } from './links.ts';
import { markRead } from './mark-read.ts';
import { notificationOf } from './notification.ts';
import { answerFromShell, forgetOldShells, keepShell } from './shell-cache.ts';
import { renew } from './subscription.ts';
import { wordsHere } from './words.ts';

declare const self: ServiceWorkerGlobalScope;

// A push must show something, and before anything else: browsers take the subscription away from apps that do not.
self.addEventListener('push', (event) => {
  event.waitUntil(show(textOf(event.data)));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(Promise.all([clicked(event.action, event.notification.data), markRead(event.notification.data)]));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event as ExtendableEvent & Parameters<typeof renew>[0], self.registration));
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

self.addEventListener('message', (event) => {
  if (isForWorker(event.data)) event.waitUntil(Promise.all([closeNotifications(), caches.delete(KEPT_LINKS)]));
});

async function show(text: string): Promise<void> {
  const { title, options } = notificationOf(text, await wordsHere());
  await self.registration.showNotification(title, options);
  await keepLink(options.data);
}

async function clicked(action: string, data: unknown): Promise<void> {
  if (action !== 'acknowledge') await click(data, location.origin, self.clients);
  else if (!(await acknowledge(data))) await click(alertPage(data), location.origin, self.clients);
}

/** What was shown to a user who has signed out. */
async function closeNotifications(): Promise<void> {
  for (const notification of await self.registration.getNotifications()) notification.close();
}

function textOf(data: PushMessageData | null): string {
  return data?.text() ?? '';
}
