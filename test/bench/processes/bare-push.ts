/** The least that a client of APNs can do: the same bytes over Node's own HTTP/2, and nothing done with the answers. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { providerToken } from '../../support/vendor-clients.ts';
import { serveHandlers } from './handlers.ts';
import type { SandboxAccess } from './sandbox.ts';

interface Burst {
  readonly token: string;
  readonly count: number;
  readonly inFlight: number;
}

interface Pace {
  readonly token: string;
  readonly perSecond: number;
  readonly ms: number;
}

const EVENT_ID = 'evt_06fydmhwf5zst2p2wj1gsr3qfc';
const BODY = JSON.stringify({
  aps: {
    alert: {
      title: 'Disk nearly full on db-1',
      body: 'The volume /var/lib/postgresql is 91 % full and grows by 2 % an hour.',
    },
    sound: 'default',
    'thread-id': 'acme/alerts',
    'interruption-level': 'active',
  },
  event_id: EVENT_ID,
  workspace: 'acme',
  channel: 'alerts',
  level: 'warning',
  received_at: '2026-11-21T09:30:00.123+00:00',
  event_type: 'disk.full',
});

let send: (token: string) => Promise<void>;

const handlers = {
  async open(access: SandboxAccess): Promise<void> {
    const session = http2.connect(access.apns.productionUrl, { ca: access.caPem });
    await once(session, 'remoteSettings');
    const headers = {
      ':method': 'POST',
      authorization: `bearer ${providerToken(access)}`,
      'apns-topic': access.topic,
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-collapse-id': EVENT_ID,
      'apns-expiration': String(Math.floor(Date.now() / 1000) + 86_400),
    };
    send = (token) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ...headers, ':path': `/3/device/${token}` });
        stream.on('response', ({ ':status': status }) => {
          if (status !== 200) reject(new Error(`APNs answered ${status}`));
        });
        stream.on('error', reject).on('close', resolve).resume();
        stream.end(BODY);
      });
  },

  /** Sends as fast as the provider answers. */
  async burst({ token, count, inFlight }: Burst): Promise<void> {
    // A fresh connection to APNs takes one request, until that is answered.
    await send(token);
    let left = count - 1;
    const sendOn = async () => {
      for (; left > 0; await send(token)) left -= 1;
    };
    await Promise.all(Array.from({ length: inFlight }, sendOn));
  },

  async steadily({ token, perSecond, ms }: Pace): Promise<void> {
    const startMs = performance.now();
    const sending: Promise<void>[] = [];
    for (let sent = 0; (sent * 1000) / perSecond < ms; sent += 1) {
      const waitMs = startMs + (sent * 1000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs);
      sending.push(send(token));
    }
    await Promise.all(sending);
  },
};
export type BarePushHandlers = typeof handlers;
serveHandlers(handlers);
