import { fieldCheck, fieldPicker } from '../contract/fields.ts';
import { readSchema, type Schema } from '../contract/schemas.ts';
import { FieldsError } from './errors.ts';
import type { Context } from './request-state.ts';

/** Which page of a list is asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  readonly workspace?: string;
}

/** Entries of a page where the query does not say. */
export const PAGE = 50;

/** Reads these of a page's parameters. */
export function pageReader<N extends keyof PageQuery>(
  ...names: readonly N[]
): (context: Context) => Pick<PageQuery, N> {
  const read = queryReader<Partial<PageQuery>>('page-query');
  return (context) => {
    const given = { limit: PAGE, ...read(context) };
    const asked = names.flatMap((name) => (name in given ? [[name, given[name]]] : []));
    return Object.fromEntries(asked) as Pick<PageQuery, N>;
  };
}

/** Reads the query of a request. Throws FieldsError; names that the schema does not know are ignored. */
export function queryReader<T>(schema: string): (context: Context) => T {
  const check = fieldCheck(schema);
  const pick = fieldPicker<T>(schema);
  const properties = readSchema(schema).properties as Readonly<Record<string, Schema>>;
  return ({ querystring }) => {
    const texts = [...new URLSearchParams(querystring)];
    const given = Object.fromEntries(texts.map(([name, text]) => [name, typed(text, properties[name]?.type)]));
    const problem = check(given);
    if (problem !== null) throw new FieldsError(problem);
    return pick(given);
  };
}

/** A query is all text: the digits of a whole number stand for it where the schema wants one, as do true and false. */
function typed(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'integer' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
