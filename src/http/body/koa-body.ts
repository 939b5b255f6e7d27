import type { IncomingMessage } from 'node:http';
import { koaBody } from 'koa-body';
import { ApiError } from '../errors.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { brokenOff, invalid } from './read-json.ts';

/**
 * By koa-body, for JSON only. It would replace what is not UTF-8: so it takes the bytes as Latin-1, which loses none, and
 * they are judged here. It would wait for ever for the rest of a compressed body: so there are no such bodies.
 */
export const receive = koaBody({
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

/** The parser's own words would quote the body. */
function refusalOf(error: Error, request: IncomingMessage): ApiError {
  if (error instanceof SyntaxError) return invalid('The body is not valid JSON.');
  if ('type' in error && error.type === 'entity.too.large') return new ApiError('payload_too_large');
  return brokenOff(request);
}
