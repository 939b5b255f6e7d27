import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web app as small as it can be. http://127.0.0.1 is a secure context, so it needs no certificate. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

const PAGE = `<!doctype html>
<html lang="en"><title>Alerts</title><button id="subscribe">Subscribe</button>
<script type="module">
globalThis.heard = []; // what the worker said
navigator.serviceWorker.addEventListener('message', ({ data }) => heard.push(data));
// Before anything is awaited: a driver clicks sooner than a worker is registered.
document.getElementById('subscribe').addEventListener('click', async () => {
  try {
    if (await Notification.requestPermission() !== 'granted') throw new Error('notifications are not allowed');
    const registration = await navigator.serviceWorker.ready;
    const applicationServerKey = new URL(location.href).searchParams.get('key');
    const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    globalThis.subscribed = { subscription: subscription.toJSON() };
  } catch (error) {
    globalThis.subscribed = { failure: String(error) };
  }
});
await navigator.serviceWorker.register('/sw.js');
</script>`;

/** Shows what is pushed, before anything else, and reports it to the pages. */
const WORKER = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
const report = async (message) => {
  for (const client of await self.clients.matchAll({ type: 'window', includeUncontrolled: true })) client.postMessage(message);
};
self.addEventListener('push', (event) => event.waitUntil((async () => {
  const { notification: { title, body, tag } } = event.data.json();
  await self.registration.showNotification(title, { body, tag });
  await report({ shown: title });
})()));
// Firefox sends it without a new subscription when its service has lost the old one.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil((async () => {
  const { oldSubscription: { endpoint, options } } = event;
  const subscription = event.newSubscription ?? (await self.registration.pushManager.subscribe(options));
  await report({ replaced: endpoint, subscription: subscription.toJSON() });
})()));
`;

export async function openSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const isWorker = request.url === '/sw.js';
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html');
    response.end(isWorker ? WORKER : PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
