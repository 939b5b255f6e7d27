import { type App, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Message, type Messaging } from 'firebase-admin/messaging';
import type { Clock } from '../../process/clock.ts';
import type { BatchEvent, Outcome, Route, Target } from '../../push.ts';
import { isOfTheLine, outcomeOfRequest, SendingAgent } from '../agent.ts';
import { retryAfterSIn } from '../https.ts';
import { outcomeOf, outcomeOfFault, type ProviderAnswer } from '../outcomes.ts';
import type { PushClient, SendLimits } from '../provider.ts';
import { type IsRevoked, type Prepared, Slots, sendToEach, withDeadline } from '../sending.ts';
import type { Tokens } from '../signing/tokens.ts';
import { AccessTokens } from './access-token.ts';
import type { FcmSettings } from './credentials.ts';
import { FCM_OUTCOMES } from './outcomes.ts';
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
    fill: () => slots.fill,
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
function toRequest({ data, notification, android }: FcmMessage, { token, tokenKind }: Target): Message {
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

/** Google's error body: https://cloud.google.com/apis/design/errors, with FCM's detail. All parts are optional. */
interface ErrorBody {
  readonly error?: {
    readonly message?: unknown;
    readonly status?: unknown;
    readonly details?: readonly Detail[];
  };
}
interface Detail {
  readonly '@type'?: unknown;
  readonly errorCode?: unknown;
  readonly fieldViolations?: readonly { readonly field?: unknown }[];
  readonly violations?: readonly { readonly subject?: unknown; readonly description?: unknown }[];
}

export function fcmOutcome(error: unknown): Outcome {
  const answer = answerOf(error);
  if (answer === null) return unanswered(error);
  // Only an answer of FCM's own shape is a yes, and that does not end here.
  return answer.status === 200 ? outcomeOfFault('unreadable_answer') : outcomeOf(FCM_OUTCOMES, answer);
}

/**
 * Returns an error's answer; null: none. Ignores firebase-admin's `code`: every 404 is "not registered", every 403
 * "mismatched credential".
 */
function answerOf(error: unknown): ProviderAnswer | null {
  const response = property(error, 'httpResponse');
  const status = property(response, 'status');
  if (typeof status !== 'number') return null;
  const retryAfterS = retryAfterSIn(property(property(response, 'headers'), 'retry-after'));
  return {
    status,
    reason: reasonIn(property(response, 'data')),
    ...(retryAfterS !== null && { retryAfterS }),
  };
}

function unanswered(error: unknown): Outcome {
  const code = property(error, 'code');
  if (code === 'app/network-error') return outcomeOfRequest(property(error, 'cause'));
  if (code === 'app/network-timeout') return outcomeOfFault('timeout');
  if (code === 'app/invalid-credential') return outcomeOfFault('access_token_unavailable');
  if (code === 'app/unable-to-parse-response') return outcomeOfFault('unreadable_answer');
  return outcomeOfFault('message_refused');
}

/** Returns FcmError's detail; any server may have sent a mere status. */
function reasonIn(body: unknown): string | null {
  const failure = (typeof body === 'object' ? (body as ErrorBody | null) : null)?.error;
  if (typeof failure !== 'object' || failure === null) return null;
  const details = Array.isArray(failure.details) ? (failure.details as readonly Detail[]) : [];
  const ofType = (name: string) => details.find((detail) => String(detail?.['@type']).endsWith(name));
  const errorCode = ofType('google.firebase.fcm.v1.FcmError')?.errorCode;

  if (errorCode === 'INVALID_ARGUMENT' && isAboutTheTarget(failure.message, ofType('google.rpc.BadRequest'))) {
    return 'INVALID_TOKEN';
  }
  const reason = errorCode ?? failure.status;
  if (
    (reason === 'QUOTA_EXCEEDED' || reason === 'RESOURCE_EXHAUSTED') &&
    isOfDevice(ofType('google.rpc.QuotaFailure'))
  ) {
    return 'DEVICE_QUOTA_EXCEEDED';
  }
  return typeof reason === 'string' ? reason : null;
}

/** Decides by the named field, else the sentence: bad tokens have no code. */
function isAboutTheTarget(message: unknown, badRequest: Detail | undefined): boolean {
  const fields = badRequest?.fieldViolations?.map(({ field }) => String(field)) ?? [];
  if (fields.length > 0) return fields.every((field) => /^message\.(token|fid)$/.test(field));
  return /registration token|installation id/i.test(String(message));
}

function isOfDevice(quota: Detail | undefined): boolean {
  return (quota?.violations ?? []).some(({ subject, description }) => /device/i.test(`${subject} ${description}`));
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
