import { hash, randomBytes, X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebPushRoute } from '../../contract/push-services.ts';
import { PROVIDERS } from '../../push.ts';
import { decodeHeader, isAccepted, reasonOf, type SandboxAnswer } from '../answers.ts';
import type { FakeProvider, RunningFake, SandboxContext } from '../fake.ts';
import { answerHttp, startHttps } from '../https.ts';
import { type Listener, urlOf } from '../listener.ts';
import { startAutopush } from './autopush.ts';
import { type BrowserControl, Browsers } from './browsers.ts';
import { startGcm, startMcs } from './gcm.ts';
import { type PushRequest, type PushService, ttlOf } from './service.ts';
import {
  issuedKeys,
  makeIssuedToken,
  type Subscription,
  type SubscriptionKeys,
  Subscriptions,
} from './subscriptions.ts';
import { SERVICES } from './table.ts';
import { openVapidReader } from './vapid.ts';

interface WebPushInfo {
  readonly webpush: {
    /** Services' addresses by route. */
    readonly urls: Readonly<Record<WebPushRoute, string>>;
    /** Returns a sandbox subscription's keys. Throws for other endpoints. */
    keysOf(endpoint: string): SubscriptionKeys;
    /** Ends a subscription like its browser: later pushes are rejected. */
    unsubscribe(endpoint: string): void;
    /** Real browsers that use the sandbox, and their settings. */
    readonly firefox: { readonly browsers: BrowserControl; readonly preferences: FirefoxPreferences };
    readonly chromium: { readonly browsers: BrowserControl; readonly switches: readonly string[] };
  };
}

/** Values for the equally named settings. */
type WebPushTrialSettings = {
  readonly contact: string;
  readonly hosts: readonly string[];
  readonly endpoints: Readonly<Record<string, string>>;
  readonly ca_file: string;
};

type FirefoxPreferences = Readonly<Record<string, string | boolean>>;

/** Web Push has no console that issues keys. */
type NoKeys = Readonly<Record<never, never>>;

const { routes: ROUTES } = PROVIDERS.webpush;
const CONTACT = 'mailto:operations@example.com';

/** The push services, with what real browsers need of two. */
export const fakeWebPush: FakeProvider<NoKeys, RunningFake<WebPushInfo, WebPushTrialSettings>> = {
  endpoints: [...ROUTES, 'autopush', 'gcm', 'mcs'],
  makeKeys: async () => ({}),
  readKeys: async () => ({}),
  homeOf: ({ service = 'webpush_mozilla' }) => service,
  makeToken: (header, unique, { vapidKey }) => makeEndpoint(header, unique, vapidKey ?? null),

  async start(_keys, _options, context) {
    const services = await startServices(context);
    const autopush = await startAutopush(services.webpush_mozilla.subscriptions, context);
    const chromium = await startChromiumSide(services.webpush_google.subscriptions, context);
    const urls = byRoute((route) => urlOf(services[route].listener));
    return {
      info: {
        webpush: {
          urls,
          keysOf,
          unsubscribe(endpoint) {
            const found = tokenIn(endpoint);
            if (found !== null) services[found.route].subscriptions.end(found.token);
          },
          firefox: { browsers: autopush.browsers, preferences: preferencesFor(autopush.listener) },
          chromium: { browsers: chromium.browsers, switches: switchesFor(chromium, context.tls.cert) },
        },
      },
      files: {},
      settings: (_place, caFile) => ({
        contact: CONTACT,
        hosts: SERVICES.webpush_other.origins.map((origin) => new URL(origin).hostname),
        endpoints: Object.fromEntries(
          ROUTES.flatMap((route) => SERVICES[route].origins.map((origin) => [origin, urls[route]])),
        ),
        ca_file: caFile,
      }),
    };
  },
};

interface Service {
  readonly listener: Listener;
  readonly subscriptions: Subscriptions;
}

async function startServices(context: SandboxContext): Promise<Readonly<Record<WebPushRoute, Service>>> {
  const started = await Promise.all(
    ROUTES.map(async (route) => {
      const subscriptions = new Subscriptions(route);
      const options = { route, service: SERVICES[route], subscriptions };
      return [route, { listener: await startPushService(options, context), subscriptions }] as const;
    }),
  );
  return Object.fromEntries(started) as Record<WebPushRoute, Service>;
}

interface ChromiumSide {
  readonly browsers: BrowserControl;
  readonly gcm: Listener;
  readonly mcs: Listener;
}

async function startChromiumSide(subscriptions: Subscriptions, context: SandboxContext): Promise<ChromiumSide> {
  const browsers = new Browsers<Buffer>(subscriptions, randomAndroidId, context.wallMs);
  const [gcm, mcs] = await Promise.all([startGcm(browsers, context), startMcs(browsers, context)]);
  return { browsers, gcm, mcs };
}

/** In about:config, or in a profile's user.js. */
function preferencesFor({ port }: Listener): FirefoxPreferences {
  return {
    'dom.push.serverURL': `ws://127.0.0.1:${port}/`,
    // Without it, wss: is asked for.
    'dom.push.testing.allowInsecureServerURL': true,
  };
}

/** The last trusts only the sandbox's certificate, and needs `--user-data-dir`. */
function switchesFor({ gcm, mcs }: ChromiumSide, certPem: string): readonly string[] {
  const publicKey = new X509Certificate(certPem).publicKey.export({ type: 'spki', format: 'der' });
  return [
    `--gcm-checkin-url=${urlOf(gcm)}/checkin`,
    `--gcm-registration-url=${urlOf(gcm)}/register`,
    `--gcm-mcs-endpoint=${urlOf(mcs)}`,
    `--ignore-certificate-errors-spki-list=${hash('sha256', publicKey, 'base64')}`,
  ];
}

function byRoute<T>(make: (route: WebPushRoute) => T): Readonly<Record<WebPushRoute, T>> {
  return Object.fromEntries(ROUTES.map((route) => [route, make(route)])) as Record<WebPushRoute, T>;
}

/** Returns 63 bits, not 0: Chromium reads a signed number. */
function randomAndroidId(): string {
  return String(randomBytes(8).readBigUInt64LE() >> 1n || 1n);
}

/** Makes an endpoint of the sandbox. `vapidKey`: base64url. */
function makeEndpoint(header: Buffer, unique: Buffer, vapidKey: string | null): string {
  const home = decodeHeader(header)?.home;
  const route = ROUTES.find((known) => known === home);
  if (route === undefined) throw new Error('not a push service of browsers');
  const { origins, pathOf } = SERVICES[route];
  return origins[0] + pathOf(makeIssuedToken(header, unique, vapidKey));
}

/** Returns its keys. Throws for endpoints of no sandbox. */
export function keysOf(endpoint: string): SubscriptionKeys {
  const token = tokenIn(endpoint)?.token;
  if (token === undefined) throw new Error('not an endpoint of the sandbox');
  return issuedKeys(token);
}

/** Returns any endpoint's route and last part; null: no service's. */
export function tokenIn(endpoint: string): { readonly route: WebPushRoute; readonly token: string } | null {
  const { origin, pathname, search } = new URL(endpoint);
  const route = ROUTES.find((known) => SERVICES[known].origins.includes(origin));
  const token = route === undefined ? null : SERVICES[route].tokenIn(pathname + search);
  return route === undefined || token === null ? null : { route, token };
}

interface PushServiceOptions {
  readonly route: WebPushRoute;
  readonly service: PushService;
  readonly subscriptions: Subscriptions;
}

/** A request and findings. `endpoint`: whole address, as in devices. */
interface Incoming {
  readonly endpoint: string;
  readonly subscription: Subscription | null;
  readonly headers: PushRequest['headers'];
  readonly body: Buffer;
  readonly ttlS: number;
  readonly reason: string | null;
}

/** The subscription of unknown tokens, with `acceptUnknownTokens`. */
const ANY_SUBSCRIPTION: Subscription = { issued: null, isFor: () => true, deliver() {}, read: () => null };

/** Starts a push service for senders: RFC 8030 over HTTPS. */
function startPushService(options: PushServiceOptions, context: SandboxContext): Promise<Listener> {
  const { route, service, subscriptions } = options;
  const readVapid = openVapidReader(service.origins);

  function serve(request: IncomingMessage, response: ServerResponse, body: Buffer, listener: Listener): void {
    const incoming = read(request, body);
    const chosen = choose(incoming);
    const messageId = randomBytes(12).toString('hex');
    record(incoming, chosen, messageId);
    const words = { success: service.success(messageId, incoming.ttlS), refusal: service.refusal };
    answerHttp(request, response, chosen, words, listener);
  }

  function read(request: IncomingMessage, body: Buffer): Incoming {
    const { method = '', url: path = '' } = request;
    const headers = request.headers as PushRequest['headers'];
    const found = find(service.tokenIn(path));
    const subscription = typeof found === 'string' ? null : found;
    const vapid = readVapid(headers.authorization, context.wallMs());
    const reason = service.reasonAgainst({
      method,
      headers,
      vapid,
      bodyBytes: body.length,
      subscription: typeof found === 'string' ? found : 'alive',
      isBoundToKey: subscription?.isFor(vapid.key) ?? true,
    });
    const endpoint = (vapid.origin ?? service.origins[0]) + path;
    return { endpoint, subscription, headers, body, ttlS: ttlOf({ headers }) ?? 0, reason };
  }

  function find(token: string | null): ReturnType<Subscriptions['find']> {
    const found = token === null ? 'unknown' : subscriptions.find(token);
    return found === 'unknown' && token !== null && context.acceptUnknownTokens ? ANY_SUBSCRIPTION : found;
  }

  function choose({ endpoint, subscription, reason }: Incoming): SandboxAnswer {
    if (reason !== null) return { kind: 'refuse', reason };
    const own = context.override({ endpoint: route, token: endpoint, issued: subscription?.issued ?? null });
    return own ?? context.faults.answerOf('webpush', endpoint, service.words);
  }

  function record(incoming: Incoming, chosen: SandboxAnswer, messageId: string): void {
    const { endpoint: token, subscription, body, ttlS, headers } = incoming;
    const arrived = { endpoint: route, token, receivedAtMs: context.wallMs() };
    if (!isAccepted(chosen)) {
      context.journal.refuse({ ...arrived, reason: reasonOf(chosen) });
      return;
    }
    const payload = subscription?.read(body) ?? null;
    context.journal.accept({
      ...arrived,
      payload: payload ?? {},
      ...(payload === null && { isSealed: true }),
      headers: headers as Readonly<Record<string, string>>,
      messageId,
    });
    subscription?.deliver({ id: messageId, body, ttlS, topic: headers.topic ?? null });
  }

  return startHttps(route, context, serve);
}
