/**
 * The least that a client of APNs and FCM can do: the same bytes over Node's own HTTP, and nothing done with the
 * answers.
 */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchAccessToken, providerToken } from '../../support/vendor-clients.ts';
import type { SandboxAccess } from './sandbox.ts';
import { threads } from './threads.ts';
import { serveVerbs } from './verbs.ts';

export interface Sending {
  readonly tokens: readonly string[];
  readonly inFlight: number;
}

export interface Pace {
  readonly token: string;
  readonly perSecond: number;
  readonly ms: number;
}

type SendOne = (token: string) => Promise<void>;

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

const verbs = {
  async open(access: SandboxAccess): Promise<void> {
    sendToApns = await openApns(access);
    sendToFcm = await openFcm(access);
  },
  apns: (sending: Sending) => sendAll(sendToApns, sending),
  fcm: (sending: Sending) => sendAll(sendToFcm, sending),
  /** To one device, at an even pace. */
  apnsSteadily: ({ token, perSecond, ms }: Pace) => sendSteadily(() => sendToApns(token), perSecond, ms),
  /** What its one thread has used. */
  sendingMs: (): number => threads()[0]?.cpuMs ?? Number.NaN,
};
export type BarePushVerbs = typeof verbs;
serveVerbs(verbs);

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

async function sendAll(send: SendOne, { tokens, inFlight }: Sending): Promise<void> {
  const [first, ...rest] = tokens;
  // A fresh connection to APNs takes one request, until that is answered.
  if (first !== undefined) await send(first);
  const waiting = rest.values();
  const sendOn = async () => {
    for (const token of waiting) await send(token);
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
