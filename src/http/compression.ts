import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, Handler } from './request-state.ts';
import { bodyOf, type HttpResponse } from './response.ts';

/** Below it, compressing saves no packet. */
const LEAST_BYTES = 1_024;
/** Shrinks a page of events to a tenth, at under half the default's CPU. */
const LEVEL = 3;

const compress = promisify(gzip);

/** Compresses answers off the HTTP thread for clients that accept it. */
export function compressed(handler: Handler): Handler {
  return async (context) => compressedFor(context, await handler(context));
}

async function compressedFor(context: Context, response: HttpResponse): Promise<HttpResponse> {
  const { status, body, headers, stream } = response;
  // An ETag names the bytes, whose encoding is therefore chosen.
  if (status !== 200 || body === undefined || stream !== undefined || headers?.ETag !== undefined) return response;
  const bytes = bodyOf(body);
  if (bytes.length < LEAST_BYTES) return { ...response, body: bytes };
  const varying = { ...headers, Vary: 'Accept-Encoding' };
  if (!context.acceptsEncodings('gzip')) return { ...response, body: bytes, headers: varying };
  return {
    ...response,
    body: await compress(bytes, { level: LEVEL }),
    headers: { ...varying, 'Content-Encoding': 'gzip' },
  };
}
