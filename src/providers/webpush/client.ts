import type { Clock } from '../../clock.ts';
import { endpointIn, routeOfHost, type WebPushRoute } from '../../contract/push-services.ts';
import type { BatchEvent, Outcome, Route, Target } from '../../push.ts';
import { faultOfRequest, SendingAgent } from '../agent.ts';
import type { PushClient, SendLimits } from '../client.ts';
import { post } from '../https.ts';
import { outcomeOfFault } from '../outcomes.ts';
import { type IsRecalled, type Prepared, sendToEach } from '../sending.ts';
import { Slots } from '../slots.ts';
import { webPushOutcome } from './answers.ts';
import { connectUrl } from './connect-url.ts';
import type { WebPushSettings } from './credentials.ts';
import { type EncryptedRequest, encryptFor } from './encryption.ts';
import { type WebPushHeaders, webPushHeaders, webPushPayload } from './payload.ts';
import { VapidHeaders } from './vapid.ts';

/** Over HTTP/1.1, which all of them speak. Apple wants no more than 100 unanswered requests on a connection. */
const LIMITS: SendLimits = { deadlineMs: 20_000, inFlight: 32 };

interface Message {
  readonly plaintext: Buffer;
  readonly told: WebPushHeaders;
}

/** The push services of browsers, one of them for each route. */
export function createWebPushClient(
  route: Route,
  settings: WebPushSettings,
  clock: Clock,
  changed: Partial<SendLimits> = {},
): PushClient {
  const { deadlineMs, inFlight } = { ...LIMITS, ...changed };
  const placeOf = (host: string) => connectUrl(settings, host);
  const agent = new SendingAgent({ placeOf, ca: settings.ca, deadlineMs, maxSockets: inFlight });
  const vapid = settings.vapid && new VapidHeaders(settings.contact, settings.vapid, clock);
  const slots = new Slots(inFlight);

  return {
    route,
    send: (batch, onEarly, onError) =>
      sendToEach(batch, { slots, clock, giveUpAfterMs: deadlineMs }, { prepare, send }, onEarly, onError),
    connections: () => agent.open,
    async close() {
      agent.destroy();
    },
  };

  function prepare({ event, ttlMs }: BatchEvent): Prepared<Message> {
    const { payload, fitted } = webPushPayload(event, settings.appUrl);
    return { request: { plaintext: Buffer.from(JSON.stringify(payload)), told: webPushHeaders(event, ttlMs) }, fitted };
  }

  async function send(message: Message, target: Target, isRecalled: IsRecalled): Promise<Outcome> {
    const endpoint = endpointIn(target.token);
    // Looked at again: what may be sent to can have changed since the browser registered.
    if (endpoint === null || routeOfHost(endpoint.hostname, settings.hosts) !== route) {
      return outcomeOfFault('unknown_push_service');
    }
    if (vapid === null) return outcomeOfFault('provider_off');
    const request = encrypted(message, target);
    if (request === null) return outcomeOfFault('message_refused');
    const outcome = await sendOne(endpoint, request, vapid.get(endpoint.origin), isRecalled);
    if (outcome.kind === 'unauthorized') vapid.forget(endpoint.origin);
    // The idle connections may have died of the same cause: the next pushes must not try them one by one.
    if (outcome.kind === 'deferred' && outcome.pace === 'fault') agent.dropIdle();
    return outcome;
  }

  async function sendOne(
    endpoint: URL,
    { headers, body }: EncryptedRequest,
    authorization: string,
    isRecalled: IsRecalled,
  ): Promise<Outcome> {
    const all = { ...headers, ...OWN_HEADERS[route], authorization };
    try {
      const answer = await agent.unlessRecalled(isRecalled, () => post(endpoint, { headers: all, body, agent }));
      return webPushOutcome(route as WebPushRoute, answer);
    } catch (error) {
      return outcomeOfFault(faultOfRequest(error));
    }
  }
}

/** Headers for a single service. Microsoft refuses a TTL unless the message may be cached. */
const OWN_HEADERS: Readonly<Partial<Record<Route, Readonly<Record<string, string>>>>> = {
  webpush_microsoft: { 'x-wns-cache-policy': 'cache' },
};

function encrypted({ plaintext, told }: Message, { token, keys }: Target): EncryptedRequest | null {
  try {
    return encryptFor(token, keys, plaintext, told);
  } catch {
    return null;
  }
}
