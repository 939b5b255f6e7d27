import type { QueryOf } from '../contract/api-types.ts';
import { fieldCheck, fieldPicker } from '../contract/fields.ts';
import type { FieldProblem } from '../contract/names.ts';
import { type OperationId, operationOf } from '../contract/operations.ts';
import { readSchema, type Schema } from '../contract/schemas.ts';
import { unknownFieldsOf } from '../contract/unknown-fields.ts';
import { FieldsError } from './errors.ts';
import type { Context } from './request-state.ts';

/** More than any address of ours has. Node takes up to 30 ms for 16 KB of parameters that are not UTF-8. */
const MOST_PARAMETERS = 128;

/**
 * The parameters of a query. A page has as many entries as the schema says by default; the channels of a workspace alone
 * have no such number, as they fit in a page.
 */
export type Query<Id extends OperationId> = QueryOf<Id> &
  (Id extends 'listChannels' ? unknown : QueryOf<Id> extends { limit?: number } ? Limit<QueryOf<Id>> : unknown);
type Limit<Parameters> = 'limit' extends keyof Parameters ? { readonly limit: number } : unknown;

/**
 * Reads the query of a request for this operation. Throws FieldsError, also for what the operation does not read, or not
 * from such a caller: a filter that is ignored would be taken for one that holds.
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
      if (reads.includes(field)) return { field, message: `The ${field} field cannot be used with an API key.` };
      const hint = nearest === null ? '' : `: did you mean ${nearest}?`;
      return { field, message: `The ${field} field is unknown${hint || '.'}` };
    });
    const repeated = known.filter((name) => texts.getAll(name).length > 1);
    const problem = check(given, [
      ...unknown,
      ...repeated.map((field) => ({ field, message: `The ${field} field must not be repeated.` })),
    ]);
    if (problem !== null) throw new FieldsError(problem);
    return pick({ ...byDefault, ...given });
  };
}

/** The parameters of a query; those beyond the first 128 are not read. */
export function parametersIn(querystring: string): URLSearchParams {
  return new URLSearchParams(querystring.split('&', MOST_PARAMETERS).join('&'));
}

/** A query is all text: the digits of a whole number stand for it where the schema wants one, as do true and false. */
function typed(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'integer' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
