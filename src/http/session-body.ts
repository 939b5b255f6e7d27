import type { IncomingMessage } from 'node:http';
import { koaBody } from 'koa-body';
import { type FieldCheckOptions, fieldCheck } from '../contract/fields.ts';
import { BODY_LIMIT_BYTES } from './answer.ts';
import { brokenOff, invalid, type JsonObject, parseJson, requireJson } from './body.ts';
import { ApiError, FieldsError } from './errors.ts';
import type { Context } from './exchange.ts';

/** Reads the body of a session route. Throws as `readJson` does, and FieldsError where it does not match the schema. */
export type BodyReader<T> = (context: Context) => Promise<T>;

/** `schema`: its name in `schemas/`. `T` is what it lets through. `rules` go beyond it. */
export function bodyReader<T>(schema: string, rules: Pick<FieldCheckOptions, 'rules'> = {}): BodyReader<T> {
  const check = fieldCheck(schema, rules);
  return async (context) => {
    const body = await readBody(context);
    const problem = check(body);
    if (problem !== null) throw new FieldsError(problem);
    return body as T;
  };
}

/**
 * By koa-body, for JSON only. It would replace what is not UTF-8: so it takes the bytes as Latin-1, which loses none, and
 * they are judged here. It would wait for ever for the rest of a compressed body: so there are no such bodies.
 */
const receive = koaBody({
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

async function readBody(context: Context): Promise<JsonObject> {
  const { req, res, request } = context;
  requireJson(req);
  if (req.headers['content-encoding'] !== undefined) throw invalid('The body must not be compressed.');
  if (req.headers.expect !== undefined) res.writeContinue();
  await receive(context, () => Promise.resolve());
  return parseJson(Buffer.from(request.rawBody ?? '', 'latin1'));
}

/** The parser's own words would quote the body. */
function refusalOf(error: Error, request: IncomingMessage): ApiError {
  if (error instanceof SyntaxError) return invalid('The body is not valid JSON.');
  if ('type' in error && error.type === 'entity.too.large') return new ApiError('payload_too_large');
  return brokenOff(request);
}
