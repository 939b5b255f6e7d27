import type { Readable } from 'node:stream';
import { koaBody } from 'koa-body';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';

/**
 * Reads text, since koa-body's JSON parser rejects a body with a field `__proto__`, which is unknown like any other.
 * Latin-1 keeps invalid UTF-8, which is rejected later. request-bodies.ts bounds the bytes and reports bodies that
 * break off.
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
