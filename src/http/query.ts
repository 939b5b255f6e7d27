import type { QueryOf } from '../contract/api-types.ts';
import { type FieldProblem, fieldProblem } from '../contract/details.ts';
import { fieldCheck, fieldPicker } from '../contract/fields.ts';
import { type OperationId, operationOf } from '../contract/operations.ts';
import { readSchema, type Schema } from '../contract/schemas.ts';
import { unknownFieldsOf } from '../contract/unknown-fields.ts';
import { FieldsError } from './errors.ts';
import type { Context } from './request-state.ts';

/** More than any address of ours. Node takes up to 30 ms for 16 KB of invalid UTF-8. */
const MOST_PARAMETERS = 128;

/** A query's parameters. Pages have a default size, except the channels of a workspace, which fit in one. */
export type Query<Id extends OperationId> = QueryOf<Id> &
  (Id extends 'listChannels' ? unknown : QueryOf<Id> extends { limit?: number } ? Limit<QueryOf<Id>> : unknown);
type Limit<Parameters> = 'limit' extends keyof Parameters ? { readonly limit: number } : unknown;

/**
 * Reads an operation's query. Throws FieldsError, also for parameters that operation or caller cannot use: an ignored
 * filter would seem to hold.
 */
export function queryReader<Id extends OperationId>(
  id: Id,
  caller: 'person' | 'key' = 'person',
): (context: Context) => Query<Id> {
  const { query } = operationOf(id);
  if (query === undefined) throw new Error(`${id} says nothing of its query`);
  const { schema, reads, withKey = reads } = query;
  const known = caller === 'key' ? withKey : reads;
  const check = fieldCheck(schema);
  const pick = fieldPicker<Query<Id>>(schema);
  const properties = readSchema(schema).properties as Readonly<Record<string, Schema>>;
  const unknownIn = unknownFieldsOf(known);
  const { default: most } = properties.limit ?? {};
  const byDefault = most !== undefined && known.includes('limit') ? { limit: most } : {};
  return ({ querystring }) => {
    const texts = parametersIn(querystring);
    const given = Object.fromEntries(
      known.flatMap((name) => {
        const text = texts.getAll(name).at(-1);
        return text === undefined ? [] : [[name, typed(text, properties[name]?.type)]];
      }),
    );
    const unknown = unknownIn(texts.keys()).map((parameter): FieldProblem => {
      const { field, nearest } = parameter;
      if (reads.includes(field)) return fieldProblem(field, 'not_for_key');
      return nearest === null ? fieldProblem(field, 'unknown') : fieldProblem(field, 'unknown_nearest', { nearest });
    });
    const repeated = known.filter((name) => texts.getAll(name).length > 1);
    const problem = check(given, [...unknown, ...repeated.map((field) => fieldProblem(field, 'repeated'))]);
    if (problem !== null) throw new FieldsError(problem);
    return pick({ ...byDefault, ...given });
  };
}

/** Returns a query's first 128 parameters. */
export function parametersIn(querystring: string): URLSearchParams {
  return new URLSearchParams(querystring.split('&', MOST_PARAMETERS).join('&'));
}

/** Converts digits, true and false if the schema wants a number or boolean. */
function typed(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'integer' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
