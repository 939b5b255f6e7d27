import { fieldCheck } from '../contract/fields.ts';
import { FieldsError } from './errors.ts';
import type { Context } from './exchange.ts';

/** Which page of a list is asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  readonly workspace?: string;
}

const PAGE = 50;

export function pageReader(): (context: Context) => PageQuery {
  const read = queryReader<Omit<PageQuery, 'limit'> & { readonly limit?: string }>('page-query');
  return (context) => {
    const { limit, ...rest } = read(context);
    return { ...rest, limit: Number(limit ?? PAGE) };
  };
}

/** Reads the query of a request. Throws FieldsError; names that the schema does not know are ignored. */
export function queryReader<T>(schema: string): (context: Context) => T {
  const check = fieldCheck(schema);
  return ({ querystring }) => {
    const given = Object.fromEntries(new URLSearchParams(querystring));
    const problem = check(given);
    if (problem !== null) throw new FieldsError(problem);
    return given as T;
  };
}
