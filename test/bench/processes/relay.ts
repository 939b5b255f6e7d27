/**
 * A relay as teams write it themselves: an event is answered, and pushed from memory. It has no keys, no counts and no
 * queue, syncs nothing, and loses what it holds when it ends.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import apn from '@parse/node-apn';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { serveHandlers } from './handlers.ts';
import type { SandboxAccess } from './sandbox.ts';

export interface Subscribed {
  readonly access: SandboxAccess;
  /** Tokens by channel. */
  readonly devices: Readonly<Record<string, readonly string[]>>;
}

let provider: apn.Provider;
let topic = '';
let devices: Subscribed['devices'] = {};
let posted = 0;

const app = new Koa();
app.use(koaBody());
app.use((context) => {
  const { channel, title, description, level, event_type } = context.request.body as Readonly<Record<string, string>>;
  posted += 1;
  const event = { public_id: `evt_${posted}`, status: 'queued', level, event_type, received_at: new Date() };
  context.status = 202;
  context.body = { event };
  const tokens = devices[channel ?? ''];
  if (tokens === undefined) return;
  const notification = new apn.Notification({
    alert: { title, body: description },
    sound: 'default',
    payload: { event_id: event.public_id, workspace: 'acme', channel, level, event_type },
    topic,
    pushType: 'alert',
    priority: 10,
    expiry: Math.floor(Date.now() / 1000) + 86_400,
    collapseId: event.public_id,
  });
  void provider.send(notification, [...tokens]);
});
const server = app.listen(0, '127.0.0.1');
server.keepAliveTimeout = 120_000;
await once(server, 'listening');

const handlers = {
  open({ access, devices: subscribed }: Subscribed): string {
    const { hostname, port } = new URL(access.apns.productionUrl);
    const { pem: key, keyId, teamId } = access.apnsKey;
    provider = new apn.Provider({
      token: { key, keyId, teamId },
      production: true,
      address: hostname,
      port: Number(port),
      ca: [access.caPem],
    });
    ({ topic } = access);
    devices = subscribed;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};
export type RelayHandlers = typeof handlers;
serveHandlers(handlers);
