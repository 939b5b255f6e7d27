import type { ClientHttp2Session } from 'node:http2';
import apn from '@parse/node-apn';
import { uuidOf } from '../../contract/public-id.ts';
import { BoundExceeded } from '../../process/bounded-request.ts';
import type { Clock } from '../../process/clock.ts';
import type { BatchEvent, Outcome, Route, Target } from '../../push.ts';
import { TOO_SLOW } from '../https.ts';
import { type Fault, notConnected, outcomeOf, outcomeOfFault } from '../outcomes.ts';
import { collapseIdOf } from '../payload.ts';
import type { PushClient, SendLimits } from '../provider.ts';
import { type IsRevoked, type Prepared, Slots, sendToEach, withDeadline } from '../sending.ts';
import { ClientToken, type Tokens } from '../signing/tokens.ts';
import { type ApnsSettings, Apps } from './credentials.ts';
import { APNS_OUTCOMES } from './outcomes.ts';
import { type ApnsPayload, apnsPayload } from './payload.ts';
import { type ApnsFailure, ApnsSession, type Push, type WireRequest, wireRequestOf } from './session.ts';
import { WarmUp } from './warm-up.ts';

/**
 * node-apn opens as many streams as it is given, and some thousands end the connection. A thread that sends alone carries
 * what the relay hands out for two: with 200 ms to the provider, 4,000 pushes a second.
 */
const LIMITS: SendLimits = { deadlineMs: 20_000, inFlight: 800 };

/** The time for the answer to a push that was written right before its deadline, and for a PING to prove its connection. */
const GRACE_MS = 500;

/** Connections a push tries, if the first ends before taking it. */
const MOST_CONNECTIONS = 2;

/**
 * Apple, by one HTTP/2 connection.
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
 */
export function createApnsClient(
  route: Route,
  settings: ApnsSettings,
  clock: Clock,
  tokens: Tokens,
  changed: Partial<SendLimits> = {},
): PushClient {
  const limits = { ...LIMITS, ...changed };
  const endpoint = route === 'apns_sandbox' ? settings.endpointSandbox : settings.endpointProduction;
  const session = new ApnsSession(settings, endpoint, clock);
  const slots = new Slots(limits.inFlight);
  const warmUp = new WarmUp(() => session.current());
  const apps = new Apps(settings);
  const { key, keyId, teamId } = settings;
  const signed = new ClientToken(tokens, { kind: 'apns', key, keyId, teamId });

  return {
    route,
    send: (batch, onEarly, onError) =>
      sendToEach(batch, { slots, clock, giveUpAfterMs: limits.deadlineMs }, { prepare, send }, onEarly, onError),
    connections: () => (session.isConnected() ? 1 : 0),
    fill: () => slots.fill,
    close: () => session.close(),
  };

  function prepare(event: BatchEvent): Prepared<Requests> {
    const { payload, fitted } = apnsPayload(event.event, settings.critical);
    const first = wireRequestOf(toRequest(event, payload, settings.topic, clock.wallMs()));
    return { request: new Map([[settings.topic, first]]), fitted };
  }

  function send(requests: Requests, target: Target, isRevoked: IsRevoked): Outcome | Promise<Outcome> {
    if (!isHex(target.token)) return outcomeOfFault('malformed_token');
    const topic = apps.topicOf(target);
    if (typeof topic !== 'string') return topic;
    const push = { request: requestTo(topic, requests), device: target.token, topic };
    return warmUp.send(() => sendOne(push, isRevoked));
  }

  async function sendOne(push: Push, isRevoked: IsRevoked): Promise<Outcome> {
    const giveUpAtMs = clock.steadyMs() + limits.deadlineMs;
    let replacement: string | null = null;
    for (let tries = 1; tries <= MOST_CONNECTIONS; tries += 1) {
      const current: string | Promise<string> = replacement ?? signed.current();
      const signedToken: string = typeof current === 'string' ? current : await current;
      // Requests made before the connection stands are written later, even if revoked.
      const leftMs = giveUpAtMs - clock.steadyMs();
      const tooSlow = () => session.notConnected(TOO_SLOW);
      const isReady = session.isReady(signedToken);
      const fault = isReady ? null : await withDeadline(session.connect(signedToken), leftMs, tooSlow);
      if (fault !== null) {
        session.drop();
        return notConnected(fault.message);
      }
      const used = session.current();
      const startedMs = performance.now();
      const canBeSent = () => clock.steadyMs() < giveUpAtMs && !isRevoked();
      const withinMs = giveUpAtMs - clock.steadyMs() + GRACE_MS;
      const failure = await session.send(push, signedToken, canBeSent, withinMs);
      if (failure === 'ended') continue;
      if (failure === 'kept') return outcomeOfFault(isRevoked() ? 'recalled' : 'not_sent');
      const outcome = apps.judge(apnsOutcome(failure), push.topic);
      if (used) refreshConnection(used, outcome, startedMs);
      const asked = otherThan(signedToken, outcome);
      const other: string | null = asked && (await asked);
      if (other === null || replacement !== null) return outcome;
      replacement = other;
      tries = 0;
    }
    return outcomeOfFault('not_sent');
  }

  /** Returns another token after Apple refused the first; null: the outcome stands. */
  function otherThan(used: string, outcome: Outcome): Promise<string | null> | null {
    const reason = 'reason' in outcome ? outcome.reason : null;
    if (reason === 'TooManyProviderTokenUpdates') return signed.refused(used, 'too_many');
    if (reason !== null && OF_TOKEN.has(reason)) return signed.refused(used, 'refused');
    if (OF_DEVICE.has(outcome.kind)) signed.accepted(used);
    return null;
  }

  /** Decides when the next push needs a fresh connection; node-apn keeps useless ones. */
  function refreshConnection(used: ClientHttp2Session, outcome: Outcome, startedMs: number): void {
    if (outcome.kind === 'accepted') return;
    // TCP may take 15 minutes to notice a lost peer.
    if (outcome.reason === 'timeout' && !session.hasHeard(used, startedMs)) used.destroy();
    // Apple binds a connection to its first key; faults of key or token need a new one.
    if (outcome.kind === 'unauthorized' || ENDING.has(outcome.reason)) session.retire(used);
  }
}

/** Refusals over a token's time: a new one may work. */
const OF_TOKEN: ReadonlySet<string> = new Set(['ExpiredProviderToken', 'InvalidProviderToken']);
/** Outcomes about a device prove the token, which Apple checks first. */
const OF_DEVICE: ReadonlySet<Outcome['kind']> = new Set(['accepted', 'unregistered', 'rejected']);
/** Reasons that end the connection. */
const ENDING = new Set(['Shutdown', 'IdleTimeout', 'InternalServerError', 'TooManyProviderTokenUpdates']);

/** An event's requests by topic; the first app's always exists. */
type Requests = Map<string, WireRequest>;

function requestTo(topic: string, requests: Requests): WireRequest {
  const known = requests.get(topic);
  if (known !== undefined) return known;
  const [first] = requests.values();
  if (first === undefined) throw new Error('there is a request for the first app');
  const made = { ...first, headers: { ...first.headers, 'apns-topic': topic } };
  requests.set(topic, made);
  return made;
}

/**
 * Makes one request for an event's devices on an app: only the path differs. Later copies, or events with the same
 * collapse key, replace it.
 */
function toRequest({ event, ttlMs }: BatchEvent, payload: ApnsPayload, topic: string, nowMs: number): apn.Notification {
  const notification = new apn.Notification();
  notification.rawPayload = payload;
  notification.topic = topic;
  notification.pushType = 'alert';
  notification.priority = 10;
  notification.expiry = Math.floor((nowMs + Math.max(ttlMs, 0)) / 1000);
  notification.collapseId = collapseIdOf(event);
  // Identifies the push in Apple's delivery log. Prevents no duplicates.
  const id = uuidOf(event.publicId);
  if (id !== null) notification.id = id;
  return notification;
}

/** Checks the token, which becomes part of a path; node-apn does not. */
function isHex(token: string): boolean {
  return /^[0-9a-f]+$/i.test(token);
}

const TOO_LONG = new BoundExceeded('EMSGSIZE').message;

export function apnsOutcome(failure: ApnsFailure | 'late' | null): Outcome {
  if (failure === null) return { kind: 'accepted' };
  if (failure === 'late') return outcomeOfFault('timeout');
  const message = failure.error instanceof Error ? failure.error.message : '';
  const { reason, timestamp } = failure.response ?? {};
  const status = typeof failure.status === 'number' ? failure.status : statusIn(message);
  if (status === null) return outcomeOfFault(faultIn(message));
  return outcomeOf(APNS_OUTCOMES, {
    status,
    reason: typeof reason === 'string' ? reason : reasonIn(message),
    ...(typeof timestamp === 'number' && { atMs: timestamp }),
  });
}

/** Two reasons are elsewhere: the error has 403 ExpiredProviderToken; 500 InternalServerError is replaced. */
function reasonIn(message: string): string | null {
  if (message.startsWith('Error 500')) return 'InternalServerError';
  return /^\w+$/.test(message) ? message : null;
}

/** Without a body, only the error's text has the status. */
function statusIn(message: string): number | null {
  const status = /with status (\d{3}) and empty body/.exec(message)?.[1];
  return status === undefined ? null : Number(status);
}

function faultIn(message: string): Fault {
  if (message.includes('REFUSED_STREAM')) return 'refused_stream';
  if (message.includes('pending stream has been canceled')) return 'connect_failed';
  if (message.includes('error processing APNs response') || message.includes(TOO_LONG)) return 'unreadable_answer';
  return 'connection_lost';
}
