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

/** Over HTTP/1.1, which all of them speak. Apple wants no more than 100 unanswered requests on a connection. */
const LIMITS: SendLimits = { deadlineMs: 20_000, inFlight: 32 };

/**
 * A browser names the host of its push service, and some hosts below the known domains never answer. Until one has
 * accepted a push it is given less time, and all such hosts together a small part of what may be in flight.
 */
const UNPROVEN = { deadlineMs: 5_000, part: 1 / 8 };
/** Microsoft has a host for each of its regions. */
const MOST_PROVEN = 100;

interface Message {
  readonly plaintext: Buffer;
  readonly headers: WebPushHeaders;
}

/** The push services of browsers, one of them for each route. */
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
    // Looked at again: what may be sent to can have changed since the browser registered.
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
    // The idle connections there may have died of the same cause: the next pushes must not try them one by one.
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

/** A push whose signature was refused is sent once more, if there is another one by then. */
async function signedBy(token: ClientToken, send: (authorization: string) => Promise<Outcome>): Promise<Outcome> {
  const authorization = await token.current();
  const outcome = await send(authorization);
  if (outcome.kind === 'accepted') token.accepted(authorization);
  const other = outcome.kind === 'unauthorized' ? await token.refused(authorization, 'refused') : null;
  return other === null ? outcome : send(other);
}

/** Headers for a single service. Microsoft refuses a TTL unless the message may be cached. */
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
