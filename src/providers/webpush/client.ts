import { endpointIn, routeOfHost, type WebPushRoute } from '../../contract/push-services.ts';
import type { Clock } from '../../process/clock.ts';
import type { BatchEvent, Outcome, Route, Target, VapidKeys } from '../../push.ts';
import { parseJsonObject } from '../../values/json.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { isOfTheLine, outcomeOfRequest, SendingAgent } from '../agent.ts';
import { type ProviderResponse, post, retryAfterSIn } from '../https.ts';
import { outcomeOf, outcomeOfFault } from '../outcomes.ts';
import type { PushClient, SendLimits } from '../provider.ts';
import { type IsRevoked, type Origin, type Prepared, Slots, sendToEach } from '../sending.ts';
import { ClientToken, type Tokens } from '../signing/tokens.ts';
import { connectUrl, type WebPushSettings } from './credentials.ts';
import { WEB_PUSH_OUTCOMES } from './outcomes.ts';
import { type EncryptedRequest, encryptFor, type WebPushHeaders, webPushHeaders, webPushPayload } from './payload.ts';

/** HTTP/1.1, which all speak. Apple wants at most 100 unanswered requests a connection. */
const LIMITS: SendLimits = { deadlineMs: 20_000, inFlight: 32 };

/**
 * Browsers name their push host, and some below known domains never answer. Until an acceptance, hosts get less time
 * and share a small part of the requests.
 */
const UNPROVEN = { deadlineMs: 5_000, part: 1 / 8 };
/** Microsoft has a host for each region. */
const MOST_PROVEN = 100;

interface Message {
  readonly plaintext: Buffer;
  readonly headers: WebPushHeaders;
}

export function createWebPushClient(
  route: Route,
  settings: WebPushSettings,
  clock: Clock,
  tokens: Tokens,
  changed: Partial<SendLimits> = {},
): PushClient {
  const { deadlineMs, inFlight } = { ...LIMITS, ...changed };
  const placeOf = (host: string) => connectUrl(settings, host);
  const agent = new SendingAgent({ placeOf, ca: settings.ca, deadlineMs, maxSockets: inFlight, clock });
  const { contact, vapid: keys } = settings;
  const signed = lruCache<string, ClientToken>(MOST_PROVEN);
  const slots = new Slots(inFlight);
  const unprovenMs = Math.min(deadlineMs, UNPROVEN.deadlineMs);
  const unproven = { slots: new Slots(Math.ceil(inFlight * UNPROVEN.part)), giveUpAfterMs: unprovenMs };
  const proven = lruCache<string, true>(MOST_PROVEN);

  const method = { prepare, send, originOf };

  return {
    route,
    send: (batch, onEarly, onError) =>
      sendToEach(batch, { slots, unproven, clock, giveUpAfterMs: deadlineMs }, method, onEarly, onError),
    connections: () => agent.open,
    fill: () => slots.fill,
    async close() {
      agent.destroy();
    },
  };

  function prepare({ event, ttlMs }: BatchEvent): Prepared<Message> {
    const { payload, fitted } = webPushPayload(event, settings.appUrl);
    return {
      request: { plaintext: Buffer.from(JSON.stringify(payload)), headers: webPushHeaders(event, ttlMs) },
      fitted,
    };
  }

  function originOf({ token, wasAccepted }: Target): Origin {
    const name = endpointIn(token)?.host ?? '';
    return { name, isProven: wasAccepted || proven.has(name) };
  }

  async function send(message: Message, target: Target, isRevoked: IsRevoked): Promise<Outcome> {
    const endpoint = endpointIn(target.token);
    // Checked again: allowed hosts may have changed since the registration.
    if (endpoint === null || routeOfHost(endpoint.hostname, settings.hosts) !== route) {
      return outcomeOfFault('unknown_push_service');
    }
    if (keys === null) return outcomeOfFault('provider_off');
    const request = encrypted(message, target);
    if (request === null) return outcomeOfFault('message_refused');
    const withinMs = originOf(target).isProven ? deadlineMs : unprovenMs;
    const outcome = await signedBy(tokenFor(endpoint.origin, keys), (authorization) =>
      sendOne(endpoint, { ...request, headers: { ...request.headers, authorization } }, isRevoked, withinMs),
    );
    if (outcome.kind === 'accepted') proven.set(endpoint.host, true);
    // The idle connections may have died of the same cause: the next pushes must not try them one by one.
    if (isOfTheLine(outcome)) agent.dropIdle(endpoint.hostname);
    return outcome;
  }

  function tokenFor(origin: string, keys: VapidKeys): ClientToken {
    const known = signed.get(origin) ?? new ClientToken(tokens, { kind: 'vapid', origin, contact, keys });
    signed.set(origin, known);
    return known;
  }

  async function sendOne(
    endpoint: URL,
    { headers, body }: EncryptedRequest,
    isRevoked: IsRevoked,
    withinMs: number,
  ): Promise<Outcome> {
    const all = { ...headers, ...OWN_HEADERS[route] };
    const posting = () => post(endpoint, { headers: all, body, agent });
    try {
      const answer = await agent.unlessRevoked(isRevoked, posting, withinMs);
      return webPushOutcome(route as WebPushRoute, answer, Number(headers.TTL));
    } catch (error) {
      return outcomeOfRequest(error);
    }
  }
}

/** Repeats a push once after a refused signature, with another token. */
async function signedBy(token: ClientToken, send: (authorization: string) => Promise<Outcome>): Promise<Outcome> {
  const authorization = await token.current();
  const outcome = await send(authorization);
  if (outcome.kind === 'accepted') token.accepted(authorization);
  const other = outcome.kind === 'unauthorized' ? await token.refused(authorization, 'refused') : null;
  return other === null ? outcome : send(other);
}

/** Headers of single services. Microsoft requires cacheable messages for a TTL. */
const OWN_HEADERS: Readonly<Partial<Record<Route, Readonly<Record<string, string>>>>> = {
  webpush_microsoft: { 'x-wns-cache-policy': 'cache' },
};

function encrypted({ plaintext, headers }: Message, { token, keys }: Target): EncryptedRequest | null {
  try {
    return encryptFor(token, keys, plaintext, headers);
  } catch {
    return null;
  }
}

/** Returns a push service's outcome. `askedS`: requested time to keep the push. */
function webPushOutcome(route: WebPushRoute, answer: ProviderResponse, askedS: number): Outcome {
  const retryAfterS = retryAfterSIn(answer.headers['retry-after']);
  const { status } = answer;
  const reason = REASONS[route](answer) ?? null;
  if (isPage(route, answer)) return outcomeOfFault('unreadable_answer');
  const outcome = outcomeOf(WEB_PUSH_OUTCOMES, { status, reason, ...(retryAfterS !== null && { retryAfterS }) });
  const keptS = outcome.kind === 'accepted' ? ttlIn(answer) : null;
  return keptS === null || keptS >= askedS ? outcome : { kind: 'accepted', keptS };
}

/**
 * Detects pages of proxies or captive portals, which say nothing about the push. Vendors accept with 201 and refuse in
 * words.
 */
function isPage(route: WebPushRoute, { status, headers, body }: ProviderResponse): boolean {
  const isHtml = /^\s*<(?:!doctype|html)/i.test(body);
  if (status === 200) return isHtml || /^text\/html/i.test(headers['content-type'] ?? '');
  return isHtml && status >= 400 && status < 500 && route !== 'webpush_other';
}

/** https://www.rfc-editor.org/rfc/rfc8030#section-5.2: the service may keep it for less. */
function ttlIn({ headers: { ttl } }: ProviderResponse): number | null {
  return typeof ttl === 'string' && /^\d{1,9}$/.test(ttl) ? Number(ttl) : null;
}

/** Returns the reason in the table; undefined: unknown. */
type ReasonIn = (answer: ProviderResponse) => string | undefined;

const REASONS: Readonly<Record<WebPushRoute, ReasonIn>> = {
  webpush_google: ({ status, body }) => {
    if (status === 400 && body.includes('UnauthorizedRegistration')) return 'google_unauthorized_registration';
    if (status === 403 && body.includes(OTHER_CREDENTIALS)) return 'google_key_mismatch';
    return known(`google_${status}`);
  },

  webpush_mozilla: ({ status, body }) => {
    const { errno, message } = parseJsonObject(body) ?? {};
    if (status === 401 && errno === 109 && String(message).includes('VAPID public key mismatch')) {
      return 'mozilla_key_mismatch';
    }
    return typeof errno === 'number' ? `mozilla_${errno}` : undefined;
  },

  webpush_apple: ({ status, body }) => {
    const { reason } = parseJsonObject(body) ?? {};
    return (typeof reason === 'string' ? known(reason) : undefined) ?? known(`apple_${status}`);
  },

  webpush_microsoft: ({ status, headers }) => {
    if (status >= 300) return known(`wns_${status}`);
    const state = headers['x-wns-notificationstatus'] ?? headers['x-wns-status'];
    return typeof state === 'string' ? known(`wns_${state.toLowerCase()}`) : undefined;
  },

  webpush_other: ({ status }) => known(`other_${status}`),
};

const OTHER_CREDENTIALS = 'do not correspond to the credentials used to create the subscription';

function known(reason: string): string | undefined {
  return Object.hasOwn(WEB_PUSH_OUTCOMES.entries, reason) ? reason : undefined;
}
