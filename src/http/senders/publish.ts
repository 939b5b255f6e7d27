import { Body } from '../../contract/senders/bodies.ts';
import { fittedPublication } from '../../contract/senders/fitting.ts';
import type { PublishAct, SenderFormat, SenderRequest } from '../../contract/senders/format.ts';
import { findKey } from '../../contract/senders/key-places.ts';
import type { JsonObject } from '../../values/json.ts';
import { ALERT_UNCHANGED, posterOf } from '../acceptance.ts';
import type { Integrator } from '../auth/api-key.ts';
import { ApiError, invalidRequest } from '../errors.ts';
import { counted } from '../limits/throttles.ts';
import { parametersIn } from '../query.ts';
import { type Context, type Handler, headerText } from '../request-state.ts';
import { respondWith } from '../response.ts';
import type { Service } from '../service.ts';
import { applyChange, deliveryOf, fit } from './delivery.ts';
import type { LargeBodies, Place } from './large-bodies.ts';
import { identifyingBody, receiveBody } from './received-body.ts';

/**
 * Takes a sender's event, checked like POST /v1/events. Cuts long texts and omits invalid fields such as links: a
 * refused sender loses the alert. `Pushctl-Shortened` names them.
 */
export function publisher(
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
export function requestOf({ params, querystring, req }: Context, nowMs: number): SenderRequest {
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
export async function authorizeSender(
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
