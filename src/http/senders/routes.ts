import { STATUS_CODES } from 'node:http';
import { inForm } from '../../contract/api-key.ts';
import type { Account, SenderAddress, SenderBody, SenderFormat } from '../../contract/senders/format.ts';
import { SENDER_NAMES, SENDERS_BASE, type SenderName } from '../../contract/senders/names.ts';
import { SENDERS } from '../../contract/senders/table.ts';
import { ApiError, errorResponse } from '../errors.ts';
import type { Context, Handler } from '../request-state.ts';
import { type HttpResponse, respondWith } from '../response.ts';
import type { Service } from '../service.ts';
import { LargeBodies } from './large-bodies.ts';
import { authorizeSender, publisher, requestOf } from './publish.ts';

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
