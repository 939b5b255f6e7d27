import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebPushRoute } from '../../src/contract/push-services.ts';
import { systemClock } from '../../src/process/clock.ts';
import type { PushClient, SendLimits } from '../../src/providers/provider.ts';
import { TokenKeeper } from '../../src/providers/signing/tokens.ts';
import { createWebPushClient } from '../../src/providers/webpush/client.ts';
import type { WebPushSettings } from '../../src/providers/webpush/credentials.ts';
import type { Outcome, Target } from '../../src/push.ts';
import { makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';
import { browserKeys } from './browser-keys.ts';
import { aBatch, aTarget, type BatchOptions } from './pushes.ts';
import type { Resources } from './resources.ts';
import { OUR_KEYS } from './web-push.ts';

/** An endpoint of each push service, up to the part that makes it different from all others. */
const ENDPOINTS: Readonly<Record<WebPushRoute, string>> = {
  webpush_google: 'https://fcm.googleapis.com/fcm/send/',
  webpush_mozilla: 'https://updates.push.services.mozilla.com/wpush/v2/',
  webpush_apple: 'https://web.push.apple.com/',
  webpush_microsoft: 'https://wns2-par02p.notify.windows.com/w/?token=',
  webpush_other: 'https://push.example.com/',
};

/** A request as it came in. */
const CLOCK = systemClock();

export interface PostedPush {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answer = (response: ServerResponse, posted: PostedPush) => void;

/** A push service that gives any answer, and a client of ours for it. */
export interface ScriptedService {
  readonly posted: readonly PostedPush[];
  readonly client: PushClient;
  readonly settings: WebPushSettings;
  /** The answers to the coming requests. */
  answer(answer: Answer): void;
  /** One push to a browser of that service. */
  push(target?: Partial<Target>, batch?: BatchOptions): Promise<Outcome>;
}

export async function scriptedService(
  opened: Resources,
  route: WebPushRoute,
  { limits = {}, settings = {} }: { limits?: Partial<SendLimits>; settings?: Partial<WebPushSettings> } = {},
): Promise<ScriptedService> {
  const posted: PostedPush[] = [];
  const authority = await makeAuthority(Date.now());
  const server = createServer(await makeServerCertificate(authority, Date.now()));
  let answer: Answer = (response) => response.writeHead(201).end();
  server.on('request', async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const push = { url: request.url ?? '', headers: request.headers, body };
    posted.push(push);
    answer(response, push);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const here = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const all: WebPushSettings = {
    contact: 'mailto:operations@example.com',
    vapid: OUR_KEYS,
    appUrl: 'https://push.example.com',
    hosts: ['push.example.com'],
    endpoints: { [new URL(ENDPOINTS[route]).origin]: here },
    ca: authority.certPem,
    ...settings,
  };
  const client = opened.add(
    createWebPushClient(route, all, CLOCK, new TokenKeeper(CLOCK), { deadlineMs: 30_000, ...limits }),
  );

  return {
    posted,
    client,
    settings: all,
    answer(next) {
      answer = next;
    },
    async push(target = {}, batch = {}) {
      const keys = JSON.stringify(browserKeys());
      const targets = [aTarget({ token: ENDPOINTS[route] + randomUUID(), keys, ...target })];
      const [sent] = await client.send(aBatch({ route, targets, ...batch }));
      if (sent === undefined) throw new Error('no answer for a target');
      return sent.outcome;
    },
  };
}
