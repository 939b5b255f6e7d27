import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { Context, Handler } from './request-state.ts';
import { bodyOf, type HttpResponse } from './response.ts';

interface Encoded {
  readonly body: Buffer;
  readonly etag: string;
  readonly encoding: { readonly 'Content-Encoding'?: string };
}

/** A constant text, compressed and not. */
export type Kept = Readonly<Record<'identity' | 'gzip', Encoded>>;

export function keep(text: string): Kept {
  const plain = Buffer.from(text);
  return {
    identity: { body: plain, etag: etagOf(plain), encoding: {} },
    gzip: { body: gzipSync(plain), etag: etagOf(plain, '-gzip'), encoding: { 'Content-Encoding': 'gzip' } },
  };
}

/** Answers in the client's coding, or 304. */
export function answerKept(context: Context, kept: Kept) {
  const isCompressed = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  const { body, etag, encoding } = kept[isCompressed ? 'gzip' : 'identity'];
  const headers = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
  return isEtagListed(context.req.headers['if-none-match'], etag)
    ? ({ status: 304, headers } as const)
    : ({ status: 200, body, headers: { ...headers, ...encoding } } as const);
}

/** Returns a strong tag of the bytes. `variant`: their other form. */
export function etagOf(body: Buffer, variant = ''): string {
  return `"${createHash('sha256').update(body).digest('hex')}${variant}"`;
}

/** Compares weakly, since compressing intermediaries weaken tags (RFC 9110, 13.1.2). */
export function isEtagListed(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.some((tag) => tag === '*' || tag === etag);
}

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
