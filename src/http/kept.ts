import { gzipSync } from 'node:zlib';
import { etagOf, isEtagListed } from './etag.ts';
import type { Context } from './request-state.ts';

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
