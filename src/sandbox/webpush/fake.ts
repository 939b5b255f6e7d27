import type { WebPushRoute } from '../../contract/push-services.ts';
import { PROVIDERS } from '../../push.ts';
import type { RunningEndpoint } from '../context.ts';
import type { FakeProvider, RunningFake } from '../fake.ts';
import { urlOf } from '../listener.ts';
import { decodeHeader } from '../token-header.ts';
import { startPushService } from './server.ts';

export interface WebPushTold {
  /** Where each push service listens. */
  readonly webpush: Readonly<Record<WebPushRoute, string>>;
}

/** Values for the settings of the same names. */
export type WebPushTrialSettings = {
  readonly contact: string;
  readonly hosts: readonly string[];
  readonly endpoints: Readonly<Record<string, string>>;
  readonly ca_file: string;
};

/** The endpoints that each push service gives, up to the part that makes them different. */
const ENDPOINTS: Readonly<Record<WebPushRoute, string>> = {
  webpush_google: 'https://fcm.googleapis.com/fcm/send/',
  webpush_mozilla: 'https://updates.push.services.mozilla.com/wpush/v2/',
  webpush_apple: 'https://web.push.apple.com/',
  webpush_microsoft: 'https://wns2-par02p.notify.windows.com/w/?token=',
  webpush_other: 'https://push.example.com/',
};
const { routes: ROUTES } = PROVIDERS.webpush;

/** The push services of browsers. */
export const fakeWebPush: FakeProvider<object, RunningFake<WebPushTold, WebPushTrialSettings>> = {
  endpoints: ROUTES,
  homeOf: ({ service = 'webpush_mozilla' }) => service,
  makeKeys: async () => ({}),
  readKeys: async () => ({}),

  makeToken(header, unique) {
    const home = decodeHeader(header)?.home as WebPushRoute;
    return ENDPOINTS[home] + Buffer.concat([header, unique]).toString('base64url');
  },

  async start(_keys, { port }, context) {
    const started = await Promise.all(
      ROUTES.map(async (route) => [route, await startPushService(route, port(route), context)] as const),
    );
    const endpoints = Object.fromEntries(started) as Record<WebPushRoute, RunningEndpoint>;
    const urls = Object.fromEntries(started.map(([route, { listener }]) => [route, urlOf(listener)]));
    return {
      endpoints,
      told: { webpush: urls as WebPushTold['webpush'] },
      files: {},
      settings: (_place, caFile) => ({
        contact: 'mailto:sandbox@example.com',
        hosts: [new URL(ENDPOINTS.webpush_other).hostname],
        endpoints: Object.fromEntries(ROUTES.map((route) => [new URL(ENDPOINTS[route]).origin, urls[route] ?? ''])),
        ca_file: caFile,
      }),
    };
  },
};
