import { type App, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Message, type Messaging } from 'firebase-admin/messaging';
import type { Clock } from '../../process/clock.ts';
import type { BatchEvent, Outcome, Route, Target } from '../../push.ts';
import { isOfTheLine, SendingAgent } from '../agent.ts';
import type { PushClient, SendLimits } from '../client.ts';
import { outcomeOfFault } from '../outcomes.ts';
import { type IsRevoked, type Prepared, sendToEach, withDeadline } from '../sending.ts';
import type { Tokens } from '../signing/tokens.ts';
import { Slots } from '../slots.ts';
import { AccessTokens } from './access-token.ts';
import { fcmOutcome } from './answers.ts';
import type { FcmSettings } from './credentials.ts';
import { type FcmMessage, fcmMessage } from './payload.ts';

/** HTTP/1.1 carries one push at a time on a connection: with 200 ms to the provider, these carry 1,280 a second. */
const LIMITS: SendLimits = { deadlineMs: 20_000, inFlight: 256 };

/** Sends by the SDK's `send()`: `sendEach()` makes a handshake each time, and may hang. */
export function createFcmClient(
  route: Route,
  settings: FcmSettings,
  clock: Clock,
  _: Tokens,
  changed: Partial<SendLimits> = {},
): PushClient {
  const limits = { ...LIMITS, ...changed };
  const tokens = new AccessTokens(settings, clock);
  // The SDK always uses Google's host.
  const endpoint = new URL(settings.endpoint);
  const { deadlineMs, inFlight: maxSockets } = limits;
  const agent = new SendingAgent({ placeOf: () => endpoint, ca: settings.ca, deadlineMs, maxSockets, clock });
  const app = openApp(settings, tokens, agent);
  const messaging = getMessaging(app);
  forbidRetries(messaging);
  const slots = new Slots(limits.inFlight);

  return {
    route,
    send: (batch, onEarly, onError) =>
      sendToEach(batch, { slots, clock, giveUpAfterMs: limits.deadlineMs }, { prepare, send }, onEarly, onError),
    connections: () => agent.open,
    async close() {
      agent.destroy();
      await deleteApp(app);
    },
  };

  function prepare({ event, ttlMs }: BatchEvent): Prepared<FcmMessage> {
    const { payload, fitted } = fcmMessage(event, settings.style, ttlMs);
    return { request: payload, fitted };
  }

  async function send(message: FcmMessage, target: Target, isRevoked: IsRevoked): Promise<Outcome> {
    let isOver = false;
    // The agent's deadline begins after the access token.
    const sending = sendOne(toRequest(message, target), () => isOver || isRevoked());
    const outcome = await withDeadline(sending, limits.deadlineMs, () => {
      isOver = true;
      return outcomeOfFault('timeout');
    });
    // The idle connections may have died of the same cause: the next pushes must not try them one by one.
    if (isOfTheLine(outcome)) agent.dropIdle();
    return outcome;
  }

  /** `isLast`: no retry after a refused token. */
  async function sendOne(message: Message, isRevoked: IsRevoked, isLast = false): Promise<Outcome> {
    const access = await tokens.get();
    if ('outcome' in access) return access.outcome;
    if (isRevoked()) return outcomeOfFault('recalled');
    try {
      // Inside the try: the SDK throws on messages it dislikes, without a promise.
      await agent.unlessRevoked(isRevoked, () => messaging.send(message));
      return { kind: 'accepted' };
    } catch (error) {
      const outcome = fcmOutcome(error);
      if (outcome.kind !== 'unauthorized' || outcome.reason !== 'UNAUTHENTICATED') return outcome;
      // The machine may have slept beyond the token's end.
      tokens.forget(access);
      return isLast ? outcome : sendOne(message, isRevoked, true);
    }
  }
}

/** Adds the target, and the time to live in the SDK's milliseconds. */
export function toRequest({ data, notification, android }: FcmMessage, { token, tokenKind }: Target): Message {
  return {
    ...(tokenKind === 'installation_id' ? { fid: token } : { token }),
    data: { ...data },
    ...(notification && { notification }),
    android: { ...android, ttl: Number.parseInt(android.ttl, 10) * 1000 },
  };
}

/**
 * Opens an app of its own name for each client, as the SDK keeps one list of apps for the whole thread. Each access
 * token is given as about to end, so the SDK asks for each push and ours is the only cache: only we know when one was
 * refused.
 */
function openApp({ serviceAccount }: FcmSettings, tokens: AccessTokens, httpAgent: SendingAgent): App {
  const credential = {
    async getAccessToken() {
      const access = await tokens.get();
      if ('outcome' in access) throw new Error(access.outcome.reason);
      return { access_token: access.token, expires_in: 0 };
    },
  };
  const name = `pushctl-${crypto.randomUUID()}`;
  return initializeApp({ credential, projectId: serviceAccount.project_id, httpAgent }, name);
}

/**
 * Stops the SDK's four retries after a 503, reset or time-out, which it cannot disable. The version is pinned; a test
 * counts requests.
 */
function forbidRetries(messaging: Messaging): void {
  const inner = messaging as unknown as {
    readonly messagingRequestHandler: { readonly httpClient: { readonly retry: { maxRetries: number } } };
  };
  inner.messagingRequestHandler.httpClient.retry.maxRetries = 0;
}
