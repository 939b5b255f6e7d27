import { Body } from '../../contract/senders/bodies.ts';
import type { SenderFormat, SenderRequest } from '../../contract/senders/format.ts';
import { findKey } from '../../contract/senders/key-places.ts';
import type { Integrator } from '../auth/api-key.ts';
import { ApiError } from '../errors.ts';
import { headerText } from '../header-text.ts';
import { parametersIn } from '../query.ts';
import type { Context } from '../request-state.ts';
import type { Service } from '../service.ts';

/** A request as formats see it, without its body. */
export function requestOf({ params, querystring, req }: Context, nowMs: number): SenderRequest {
  return {
    params,
    query: parametersIn(querystring),
    header: (name) => headerText(req, name) ?? '',
    body: new Body(''),
    nowMs,
  };
}

/** The header fields of a request as formats see them, for a thread to which no function can be passed. */
export function headersOf({ req }: Pick<Context, 'req'>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(req.headers).map((name) => [name, headerText(req, name) ?? '']));
}

/** Finds the caller by a key at one of the format's places. Throws as `authorize` does, and `key_not_bound`. */
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
