import { STATUS_CODES } from 'node:http';
import { inForm } from '../../contract/api-key.ts';
import { Body } from '../../contract/senders/bodies.ts';
import type {
  Account,
  PublishAct,
  SenderAddress,
  SenderBody,
  SenderFormat,
  SenderRequest,
} from '../../contract/senders/format.ts';
import { findKey } from '../../contract/senders/key-places.ts';
import { SENDER_NAMES, SENDERS_BASE, type SenderName } from '../../contract/senders/names.ts';
import { SENDERS } from '../../contract/senders/table.ts';
import { fittedPublication } from '../../contract/senders/texts.ts';
import type { JsonObject } from '../../values/json.ts';
import { ALERT_UNCHANGED, posterOf } from '../acceptance.ts';
import type { Integrator } from '../auth/api-key.ts';
import { ApiError, errorResponse, invalidRequest } from '../errors.ts';
import { counted } from '../limits/throttles.ts';
import { parametersIn } from '../query.ts';
import { type Context, type Handler, headerText } from '../request-state.ts';
import { type HttpResponse, respondWith } from '../response.ts';
import type { Service } from '../service.ts';
import { applyChange, deliveryOf, fit } from './delivery.ts';
import { LargeBodies, type Place } from './large-bodies.ts';
import { identifyingBody, receiveBody } from './received-body.ts';

export interface SenderRoute {
  readonly method: SenderAddress['methods'][number];
  /** Pattern for the router and, in place of the address, the log. */
  readonly pattern: string;
  readonly handler: Handler;
}

/** Addresses of all formats, undocumented in the API: other projects describe them. */
export function senderRoutes(service: Service): readonly SenderRoute[] {
  const large = new LargeBodies();
  return SENDER_NAMES.flatMap((name) =>
    SENDERS[name].addresses.flatMap((address: SenderAddress) => {
      const handler = handlerOf(service, large, name, address);
      const pattern = patternOf(`${SENDERS_BASE}/${name}`, address.path);
      return address.methods.map((method) => ({ method, pattern, handler }));
    }),
  );
}

/** Returns the pattern without a final slash, which `tidyPath` removes from addresses. */
function patternOf(base: string, path: string): string {
  return path === '/' ? base : base + path.replaceAll(/{(\w+)}/g, ':$1');
}

/** Removes doubled and final slashes, which senders make by joining paths. */
export function tidyPath(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}

function handlerOf(service: Service, large: LargeBodies, name: SenderName, { act, path }: SenderAddress): Handler {
  const format = SENDERS[name];
  if ('publish' in act) return publisher(service, large, format, { act, place: { format: name, path } });
  if ('answer' in act) return () => respondWith(act.answer());
  if ('refuse' in act) return () => respondWith(act.refuse().reply, {}, act.refuse().status);
  return describe(service, format, act.describe);
}

/**
 * Writes errors in the address's format, also for unknown addresses below it. A 429 becomes a status that senders
 * retry.
 */
export function describeErrors({ path, state }: Context, next: () => Promise<unknown>): Promise<unknown> {
  const [, base, name = ''] = path.split('/');
  const format =
    `/${base}` === SENDERS_BASE ? Object.entries(SENDERS).find(([known]) => known === name)?.[1] : undefined;
  if (format !== undefined) state.describeError = (error) => inFormat(format, errorResponse(error));
  return next();
}

function inFormat(format: SenderFormat, { status: given, body, headers }: HttpResponse): HttpResponse {
  const status = given === 429 && !format.retriesAfter429 ? 503 : given;
  const { message } = body as { readonly message: string };
  return respondWith(format.error({ status, reason: STATUS_CODES[status] ?? 'Error', message }), headers, status);
}

/** Describes a key's rights. Counts as a connection test before the key check. */
function describe(service: Service, format: SenderFormat, put: (account: Account) => SenderBody): Handler {
  const keptMs = service.config.retention.eventsMs;
  return async (context) => {
    await service.throttle.connection.request(context);
    const request = requestOf(context, service.clock.wallMs());
    const { key, apiKey, store } = await authorizeSender(service, context, format, request);
    const connection = await store.describeConnection({ keyId: key.id });
    if (connection === null) throw new ApiError('unauthenticated'); // deleted meanwhile
    const { slug, events_this_month: events, monthly_event_allowance: allowance } = connection.workspace;
    return respondWith(put({ name: slug, events, allowance, keptMs, key: inForm(format.keyForm, apiKey) }));
  };
}

/**
 * Takes a sender's event, checked like POST /v1/events. Cuts long texts and omits invalid fields such as links: a
 * refused sender loses the alert. `Pushctl-Shortened` names them.
 */
function publisher(
  service: Service,
  large: LargeBodies,
  format: SenderFormat,
  { act, place }: { readonly act: PublishAct; readonly place: Place },
): Handler {
  const { acceptance } = service;
  const keptMs = service.config.retention.eventsMs;
  const mayHaveKeyInBody = format.keys.some(({ in: part }) => part === 'body');
  return async (context) => {
    requireNoHead(context);
    const request = requestOf(context, service.clock.wallMs());
    const isKeyInBody = mayHaveKeyInBody && findKey(format.keys, request).token === '';
    const early = isKeyInBody ? await receiveBody(context, act, request) : null;
    const identifying = early === null ? request : { ...request, body: identifyingBody(early, format) };
    const by = await authorizeSender(service, context, format, identifying);
    const count = service.throttle.burst(context, by.key);
    return counted(count, async () => {
      const received = early ?? (await receiveBody(context, act, request));
      const tokenInBody = isKeyInBody && { tokenInBody: findKey(format.keys, identifying).token };
      const publication = received.isLarge
        ? await large.publication(received, { ...request, headers: headersOf(context) }, by.key, {
            ...place,
            ...tokenInBody,
          })
        : await fittedPublication(act, { ...request, body: received.body });
      if (publication === null) throw invalidRequest('no_text');
      if ('reply' in publication) {
        const { change } = publication;
        const isRefused =
          change !== undefined && !(await applyChange(by, { ...change, channel: change.channel ?? onlyChannelOf(by) }));
        await count.end();
        return respondWith(publication.reply, isRefused ? ALERT_UNCHANGED : {}, publication.status);
      }
      const { event, wrong } = fit(acceptance, {
        given: withChannel(publication.event, by),
        fallback: publication.fallback,
        by: by.key,
        idempotencyKey: request.header('idempotency-key'),
      });
      const wallMs = service.clock.wallMs();
      const delivery = deliveryOf(by, event, publication.notification, wallMs);
      if (await delivery.isOver()) {
        await count.end();
        return respondWith({ message: 'Its alerts are already resolved.' });
      }
      const accepted = await delivery.accept(acceptance, posterOf(by, count));
      if (accepted.kind === 'replayed') context.state.replay = accepted.isSame ? 'same' : 'different';
      const shortened = [...publication.shortened, ...wrong];
      const headers = {
        ...(shortened.length > 0 && { [SHORTENED]: shortened.join(', ') }),
        ...(accepted.kind === 'accepted' && accepted.leavesAlert && ALERT_UNCHANGED),
      };
      const answered = { event: accepted.event, channel: event.channel, keptMs };
      const body = act.answer?.(answered, publication.repeated ?? {}) ?? { event: accepted.event };
      return respondWith(body, headers, publication.status);
    });
  };
}

const SHORTENED = 'Pushctl-Shortened';

/** Rejects HEAD, which the router adds to each GET: it must change nothing. */
function requireNoHead({ method }: Context): void {
  if (method === 'HEAD') throw new ApiError('method_not_allowed', { headers: { Allow: 'GET' } });
}

function withChannel(event: JsonObject, by: Integrator): JsonObject {
  return { ...event, channel: event.channel ?? onlyChannelOf(by) };
}

function onlyChannelOf({ key }: Integrator): string {
  if (key.onlyChannel === null) throw new ApiError('key_not_bound');
  return key.onlyChannel;
}

/** Returns a request for formats, without the body. */
function requestOf({ params, querystring, req }: Context, nowMs: number): SenderRequest {
  return {
    params,
    query: parametersIn(querystring),
    header: (name) => headerText(req, name) ?? '',
    body: new Body(''),
    nowMs,
  };
}

/** Returns header fields for a thread, which cannot receive functions. */
function headersOf({ req }: Pick<Context, 'req'>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(req.headers).map((name) => [name, headerText(req, name) ?? '']));
}

/** Finds the caller by a key in the format's places. Throws as `authorize`, and `key_not_bound`. */
async function authorizeSender(
  { authorize }: Pick<Service, 'authorize'>,
  context: Context,
  format: SenderFormat,
  request: SenderRequest,
): Promise<Integrator> {
  const { token, isInAddress } = findKey(format.keys, request);
  const integrator = await authorize(context, ['events:write'], token);
  if (isInAddress && integrator.key.onlyChannel === null) throw new ApiError('key_not_bound');
  return integrator;
}
