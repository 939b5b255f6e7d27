import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebPushRoute } from '../../contract/push-services.ts';
import { isAccepted, reasonOf, type SandboxAnswer } from '../answers.ts';
import type { SandboxContext } from '../fake.ts';
import { answerHttp, startHttps } from '../https.ts';
import type { Listener } from '../listener.ts';
import { type PushRequest, type PushService, ttlOf } from './service.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';
import { openVapidReader } from './vapid.ts';

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
export function startPushService(options: PushServiceOptions, context: SandboxContext): Promise<Listener> {
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
