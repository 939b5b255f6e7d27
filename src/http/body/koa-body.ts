import type { Readable } from 'node:stream';
import { koaBody } from 'koa-body';
import type { Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';

/**
 * Reads text, because its own JSON parser rejects a body with a field `__proto__`, which is unknown like any other. Latin-1
 * keeps every byte: as UTF-8, invalid bytes would be replaced before they can be rejected. request-bodies.ts counts the
 * bytes, bounds them, and reports a body that breaks off.
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

/** Reads the bytes of a request from the stream that they are passed on to once they are counted. */
export async function readWithKoaBody(context: Context, counted: Readable): Promise<Buffer> {
  const request: { rawBody?: string } = {};
  const req = Object.assign(counted, { headers: context.req.headers });
  const own = { method: context.method, is: (types: string[]) => context.is(types), req, request };
  await read(own as unknown as Context, () => Promise.resolve());
  return Buffer.from(request.rawBody ?? '', 'latin1');
}
