import { fieldCheck } from '../contract/fields.ts';
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

export function pageReader(): (context: Context) => PageQuery {
  const read = queryReader<Partial<PageQuery>>('page-query');
  return (context) => ({ limit: PAGE, ...read(context) });
}

/** Reads the query of a request. Throws FieldsError; names that the schema does not know are ignored. */
export function queryReader<T>(schema: string): (context: Context) => T {
  const check = fieldCheck(schema);
  const properties = readSchema(schema).properties as Readonly<Record<string, Schema>>;
  return ({ querystring }) => {
    const texts = [...new URLSearchParams(querystring)];
    const given = Object.fromEntries(texts.map(([name, text]) => [name, typed(text, properties[name]?.type)]));
    const problem = check(given);
    if (problem !== null) throw new FieldsError(problem);
    return given as T;
  };
}

/** All of a query is text. Where a whole number belongs, its digits stand for it. */
function typed(text: string, type: unknown): string | number {
  return type === 'integer' && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
