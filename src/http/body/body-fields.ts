import type { IncomingMessage } from 'node:http';
import { fieldCheck, fieldPicker } from '../../contract/fields.ts';
import type { FieldProblem } from '../../contract/names.ts';
import { FieldsError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { readPlainJson } from './read-json.ts';

/**
 * Reads the fields of a body, by their names in camelCase. Throws as `readJson` does, and FieldsError where the body
 * does not match its schema.
 */
export type BodyReader<T> = (context: Context) => Promise<T>;

interface BodyOptions<T> {
  /** A request without a body counts as one with an empty object. */
  readonly isOptional?: true;
  /** Rules that no schema can express, for fields that the schema accepts. */
  readonly rules?: (fields: T) => readonly FieldProblem[];
}

/** `schema`: its name in `schemas/`. `T`: the fields that it lets through. */
export function bodyReader<T>(schema: string, { isOptional, rules = () => [] }: BodyOptions<T> = {}): BodyReader<T> {
  const pick = fieldPicker<T>(schema);
  const check = fieldCheck(schema, { rules: (body) => rules(pick(body)) });
  return async (context) => {
    const body = isOptional && !hasBody(context.req) ? {} : await readPlainJson(context);
    const problem = check(body);
    if (problem !== null) throw new FieldsError(problem);
    return pick(body);
  };
}

/** RFC 9112, section 6.3: a request with neither of these fields has none. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
