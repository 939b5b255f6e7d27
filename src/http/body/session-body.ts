import type { IncomingMessage } from 'node:http';
import { type FieldCheckOptions, fieldCheck } from '../../contract/fields.ts';
import { FieldsError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { invalid, type JsonObject, parseJson, requireJson } from './read-json.ts';

/** Reads the body of a session route. Throws as `readJson` does, and FieldsError where it does not match the schema. */
export type BodyReader<T> = (context: Context) => Promise<T>;

interface BodyOptions extends Pick<FieldCheckOptions, 'rules'> {
  /** A request without a body is one with an empty object. */
  readonly isOptional?: true;
}

/** `schema`: its name in `schemas/`. `T` is what it lets through. `rules` go beyond it. */
export function bodyReader<T>(schema: string, { isOptional, ...rules }: BodyOptions = {}): BodyReader<T> {
  const check = fieldCheck(schema, rules);
  return async (context) => {
    const body = isOptional && !hasBody(context.req) ? {} : await readBody(context);
    const problem = check(body);
    if (problem !== null) throw new FieldsError(problem);
    return body as T;
  };
}

/** RFC 9112, section 6.3: a request with neither of these fields has none. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

async function readBody(context: Context): Promise<JsonObject> {
  const { req, res, request, state } = context;
  requireJson(req);
  if (req.headers['content-encoding'] !== undefined) throw invalid('The body must not be compressed.');
  if (req.headers.expect !== undefined) res.writeContinue();
  // What it brings along takes 15 MB, which a server that only takes events can do without.
  const { receive } = await import('./koa-body.ts');
  state.inFlight.leave(state);
  await receive(context, () => Promise.resolve());
  state.inFlight.enter(state);
  return parseJson(Buffer.from(request.rawBody ?? '', 'latin1'));
}
