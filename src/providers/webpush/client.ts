import { endpointIn, routeOfHost, type WebPushRoute } from '../../contract/push-services.ts';
import type { Clock } from '../../process/clock.ts';
import type { BatchEvent, Outcome, Route, Target, VapidKeys } from '../../push.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { isOfTheLine, outcomeOfRequest, SendingAgent } from '../agent.ts';
import type { PushClient, SendLimits } from '../client.ts';
import { post } from '../https.ts';
import { outcomeOfFault } from '../outcomes.ts';
import { type IsRevoked, type Origin, type Prepared, sendToEach } from '../sending.ts';
import { ClientToken, type Tokens } from '../signing/tokens.ts';
import { Slots } from '../slots.ts';
import { webPushOutcome } from './answers.ts';
import { connectUrl, type WebPushSettings } from './credentials.ts';
import { type EncryptedRequest, encryptFor } from './encryption.ts';
import { type WebPushHeaders, webPushHeaders, webPushPayload } from './payload.ts';

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
