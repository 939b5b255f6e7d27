import type { Readable } from 'node:stream';
import { koaBody } from 'koa-body';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';

/**
 * Reads text: koa-body's JSON parser rejects the field `__proto__`, unknown like any other. Latin-1 keeps invalid
 * UTF-8, rejected later. request-bodies.ts bounds the bytes and reports interrupted bodies.
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
});

/** Reads the body from the stream of counted bytes. */
export async function readWithKoaBody(context: Context, counted: Readable): Promise<Buffer> {
  const request: { rawBody?: string } = {};
  const req = Object.assign(counted, { headers: context.req.headers });
  const own = { method: context.method, is: (types: string[]) => context.is(types), req, request };
  await read(own as unknown as Context, () => Promise.resolve());
  return Buffer.from(request.rawBody ?? '', 'latin1');
}
