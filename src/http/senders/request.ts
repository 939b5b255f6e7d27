import { Body } from '../../contract/senders/bodies.ts';
import type { SenderFormat, SenderRequest } from '../../contract/senders/format.ts';
import { findKey } from '../../contract/senders/key-places.ts';
import type { Integrator } from '../auth/api-key.ts';
import { ApiError } from '../errors.ts';
import { headerText } from '../header-text.ts';
import { parametersIn } from '../query.ts';
import type { Context } from '../request-state.ts';
import type { Service } from '../service.ts';

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
export function headersOf({ req }: Pick<Context, 'req'>): Readonly<Record<string, string>> {
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
