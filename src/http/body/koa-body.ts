import type { IncomingMessage } from 'node:http';
import { koaBody } from 'koa-body';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { brokenOff, invalid } from './read-json.ts';

/** Latin-1 keeps every byte: as UTF-8, invalid bytes would be replaced before they can be refused. */
const read = koaBody({
  json: true,
  jsonTypes: ['application/json'],
  jsonLimit: BODY_LIMIT_BYTES,
  jsonStrict: false,
  encoding: 'latin1',
  includeUnparsed: true,
  multipart: false,
  urlencoded: false,
  text: false,
  onError: (error, { req }) => {
    throw refusalOf(error, req);
  },
});

/** The bytes of a body, by koa-body. Not for compressed ones: it waits for ever where one is broken off. */
export async function receive(context: Context): Promise<Buffer> {
  await read(context, () => Promise.resolve());
  return Buffer.from(context.request.rawBody ?? '', 'latin1');
}

/** The parser's own words would quote the body. */
function refusalOf(error: Error, request: IncomingMessage): ApiError {
  if (error instanceof SyntaxError) return invalid('The body is not valid JSON.');
  if ('type' in error && error.type === 'entity.too.large') return new ApiError('payload_too_large');
  return brokenOff(request);
}
