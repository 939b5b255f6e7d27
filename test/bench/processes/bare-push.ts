/**
 * The least that a client of APNs, FCM or Web Push can do: the same bytes over Node's own HTTP, and nothing done with
 * the answers.
 */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserSubscription } from '../../../src/contract/addresses/address.ts';
import { fetchAccessToken, providerToken } from '../../support/vendor-clients.ts';
import { openWebPush, type SendToBrowser } from './bare-web-push.ts';
import { serveHandlers } from './handlers.ts';
import type { SandboxAccess } from './sandbox.ts';
import { threads } from './threads.ts';

export interface Sending<A> {
  readonly to: readonly A[];
  readonly inFlight: number;
}

export interface Pace {
  readonly token: string;
  readonly perSecond: number;
  readonly ms: number;
}

type SendTo<A> = (address: A) => Promise<void>;
type SendOne = SendTo<string>;

const TEXT = {
  event_id: 'evt_06fydmhwf5zst2p2wj1gsr3qfc',
  workspace: 'acme',
  channel: 'alerts',
  level: 'warning',
  received_at: '2026-11-21T09:30:00.123+00:00',
  event_type: 'disk.full',
};
const TITLE = 'Disk nearly full on db-1';
const BODY = 'The volume /var/lib/postgresql is 91 % full and grows by 2 % an hour.';

let sendToApns: SendOne;
let sendToFcm: SendOne;
let sendToBrowser: SendToBrowser;

const handlers = {
  async open(access: SandboxAccess): Promise<void> {
    sendToApns = await openApns(access);
    sendToFcm = await openFcm(access);
    sendToBrowser = openWebPush(access, Buffer.from(JSON.stringify(declarativeMessage())));
  },
  apns: (sending: Sending<string>) => sendAll(sendToApns, sending),
  fcm: (sending: Sending<string>) => sendAll(sendToFcm, sending),
  webpush: (sending: Sending<BrowserSubscription>) => sendAll(sendToBrowser, sending),
  /** To one device, at an even pace. */
  apnsSteadily: ({ token, perSecond, ms }: Pace) => sendSteadily(() => sendToApns(token), perSecond, ms),
  /** What its one thread has used. */
  sendingMs: (): number => threads()[0]?.cpuMs ?? Number.NaN,
};
export type BarePushHandlers = typeof handlers;
serveHandlers(handlers);

async function openApns(access: SandboxAccess): Promise<SendOne> {
  const session = http2.connect(access.apns.productionUrl, { ca: access.caPem });
  await once(session, 'remoteSettings');
  const body = JSON.stringify({
    aps: {
      alert: { title: TITLE, body: BODY },
      sound: 'default',
      'thread-id': 'acme/alerts',
      'interruption-level': 'active',
    },
    ...TEXT,
  });
  const headers = {
    ':method': 'POST',
    authorization: `bearer ${providerToken(access)}`,
    'apns-topic': access.topic,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-collapse-id': TEXT.event_id,
    'apns-expiration': String(Math.floor(Date.now() / 1000) + 86_400),
  };
  return (token) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ...headers, ':path': `/3/device/${token}` });
      stream.on('response', ({ ':status': status }) => {
        if (status !== 200) reject(new Error(`APNs answered ${status}`));
      });
      stream.on('error', reject).on('close', resolve).resume();
      stream.end(body);
    });
}

async function openFcm(access: SandboxAccess): Promise<SendOne> {
  const agent = new https.Agent({ keepAlive: true, ca: access.caPem, scheduling: 'lifo' });
  const url = new URL(`${access.fcm.url}/v1/projects/${access.serviceAccount.project_id}/messages:send`);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${await fetchAccessToken(access)}` };
  const data = { ...TEXT, title: TITLE, body: BODY };
  return (token) => {
    const body = JSON.stringify({ message: { token, data, android: { priority: 'high', ttl: '86400s' } } });
    return new Promise((resolve, reject) => {
      const request = https.request(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      });
      request.on('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`FCM answered ${response.statusCode}`));
        response.on('end', resolve).resume();
      });
      request.on('error', reject).end(body);
    });
  };
}

function declarativeMessage(): object {
  const notification = {
    title: TITLE,
    body: BODY,
    lang: '',
    dir: 'auto',
    navigate: `https://push.example.com/events/${TEXT.event_id}`,
    tag: TEXT.event_id,
    silent: false,
    timestamp: Date.now(),
    data: TEXT,
  };
  return { web_push: 8030, notification };
}

async function sendAll<A>(send: SendTo<A>, { to, inFlight }: Sending<A>): Promise<void> {
  const [first, ...rest] = to;
  // A fresh connection to APNs takes one request, until that is answered.
  if (first !== undefined) await send(first);
  const waiting = rest.values();
  const sendOn = async () => {
    for (const address of waiting) await send(address);
  };
  await Promise.all(Array.from({ length: inFlight }, sendOn));
}

async function sendSteadily(send: () => Promise<void>, perSecond: number, ms: number): Promise<void> {
  const startMs = performance.now();
  const sending: Promise<void>[] = [];
  for (let sent = 0; (sent * 1000) / perSecond < ms; sent += 1) {
    const waitMs = startMs + (sent * 1000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    sending.push(send());
  }
  await Promise.all(sending);
}
