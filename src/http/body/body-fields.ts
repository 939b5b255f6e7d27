import type { IncomingMessage } from 'node:http';
import type { BodyOf } from '../../contract/api-types.ts';
import { bodyCheck, fieldPicker } from '../../contract/fields.ts';
import type { FieldProblem } from '../../contract/names.ts';
import { type OperationId, operationOf } from '../../contract/operations.ts';
import { FieldsError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import { readPlainJson } from './read-json.ts';

/**
 * Reads the fields of a body, by their names in camelCase. Throws as `readJson` does, and FieldsError where the body
 * does not match its schema.
 */
export type BodyReader<T> = (context: Context) => Promise<T>;

/** Rules that no schema can express, for fields that the schema accepts. */
type Rules<T> = (fields: T) => readonly FieldProblem[];

/** The reader of an operation's body, as the description has it. */
export function bodyReader<Id extends OperationId>(
  id: Id,
  rules: Rules<BodyOf<Id>> = () => [],
): BodyReader<BodyOf<Id>> {
  const { body: schema, bodyIsOptional, method } = operationOf(id);
  if (schema === undefined) throw new Error(`${id} takes no body`);
  const pick = fieldPicker<BodyOf<Id>>(schema);
  const check = bodyCheck(schema, { isChange: method === 'patch', rules: (body) => rules(pick(body)) });
  return async (context) => {
    const body = bodyIsOptional && !hasBody(context.req) ? {} : await readPlainJson(context);
    const { fields, problem } = check(body);
    if (problem !== null) throw new FieldsError(problem);
    return pick(fields);
  };
}

/** RFC 9112, section 6.3: a request with neither of these fields has none. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
