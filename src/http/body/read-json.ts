import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { type ErrorDetail, errorDetail } from '../../contract/details.ts';
import { isJsonObject, type JsonObject } from '../../values/json.ts';
import { ApiError, invalidRequest } from '../errors.ts';
import type { BareContext, Context } from '../request-state.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { tooLarge } from './request-bodies.ts';

/**
 * Reads the body as a JSON object. Throws `invalid_request`, `payload_too_large` as soon as the size (also inflated) is
 * known, and `overloaded` without room or with too many requests.
 */
export async function readJson(context: BareContext): Promise<JsonObject> {
  requireJson(context);
  return parseJson(await readBytes(context));
}

/** Reads by koa-body, uncompressed: an interrupted compressed body would never end. */
export async function readPlainJson(context: Context): Promise<JsonObject> {
  requireJson(context);
  if (isCompressed(context)) throw unsupported('identity', errorDetail('body_compressed'));
  // Loaded late: takes 15 MB, which servers that only accept events save.
  const { readWithKoaBody } = await import('./koa-body.ts');
  const reader = (counted: Readable) => readWithKoaBody(context, counted);
  return parseJson(await context.state.bodies.receive(context, { limitBytes: BODY_LIMIT_BYTES, reader }));
}

/** The bytes of a body, inflated. */
async function readBytes(context: BareContext): Promise<Buffer> {
  const { state } = context;
  const mustInflate = isCompressed(context);
  const received = await state.bodies.receive(context, { limitBytes: BODY_LIMIT_BYTES });
  if (!mustInflate) return received;
  const inflated = await inflateWithin(received, BODY_LIMIT_BYTES);
  state.body?.take(inflated.length);
  return inflated;
}

function requireJson({ req: { headers } }: BareContext): void {
  if (!isJson(headers['content-type'])) throw invalidRequest('content_type');
}

/** Ignores parameters, meaningless for JSON (RFC 8259, section 11). */
function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') return false;
  return parameters.every((parameter) => !/^\s*charset\s*=/i.test(parameter) || /=\s*"?utf-?8"?\s*$/i.test(parameter));
}

/** Detects gzip. Throws `unsupported_encoding` for others: 77 bytes of Brotli inflate in 15 ms. */
export function isCompressed({ req: { headers } }: BareContext): boolean {
  switch (headers['content-encoding']?.trim().toLowerCase()) {
    case undefined:
    case 'identity':
      return false;
    case 'gzip':
    case 'x-gzip':
      return true;
    default:
      throw unsupported('gzip');
  }
}

/** `accepted`: the alternatives (RFC 9110, section 15.5.16). */
function unsupported(accepted: string, detail?: ErrorDetail): ApiError {
  return new ApiError('unsupported_encoding', {
    ...(detail && { detail }),
    headers: { 'Accept-Encoding': accepted },
  });
}

async function inflateWithin(body: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(body, { maxOutputLength: limitBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge(limitBytes) : invalidRequest('body_not_gzip');
  }
}

/** Inflates at most so many bytes. Throws `invalid_request` for bad data. */
export async function inflateBeginning(
  body: Buffer,
  mostBytes: number,
): Promise<{ readonly beginning: Buffer; readonly isAll: boolean }> {
  const inflating = createGunzip();
  inflating.end(body);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of inflating as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes) break;
    }
  } catch {
    throw invalidRequest('body_not_gzip');
  }
  return { beginning: Buffer.concat(chunks).subarray(0, mostBytes), isAll: size <= mostBytes };
}

/** Parses a JSON object, or throws `invalid_request`. */
function parseJson(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw invalidRequest('body_not_utf8');
  const value = parseText(withoutByteOrderMark(bytes.toString()));
  if (!isJsonObject(value)) throw invalidRequest('body_not_object');
  return value;
}

/** Hides the parser's message, which quotes the body. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('body_not_json');
  }
}

/** Parsers may ignore it (RFC 8259, section 8.1). */
function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
