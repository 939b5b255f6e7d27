import type { IncomingMessage } from 'node:http';
import { koaBody } from 'koa-body';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { brokenOff } from './read-json.ts';

/**
 * As text, since its own parser of JSON refuses a body with a field `__proto__`, which is unknown like any other. Latin-1
 * keeps every byte: as UTF-8, invalid bytes would be replaced before they can be refused.
 */
const read = koaBody({
  text: true,
  textTypes: ['application/json'],
  textLimit: BODY_LIMIT_BYTES,
  encoding: 'latin1',
  includeUnparsed: true,
  json: false,
  multipart: false,
  urlencoded: false,
  onError: (error, { req }) => {
    throw refusalOf(error, req);
  },
});

/** The bytes of a body, by koa-body. Not for compressed ones: it waits for ever where one is broken off. */
export async function receive(context: Context): Promise<Buffer> {
  await read(context, () => Promise.resolve());
  return Buffer.from(context.request.rawBody ?? '', 'latin1');
}

function refusalOf(error: Error, request: IncomingMessage): ApiError {
  if ('type' in error && error.type === 'entity.too.large') return new ApiError('payload_too_large');
  return brokenOff(request);
}
