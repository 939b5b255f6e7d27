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

/** Reads the query of a list. Throws FieldsError; names that it does not know are ignored. */
export function pageReader(): (context: Context) => PageQuery {
  const check = fieldCheck('page-query', { urlSchemes: [] });
  return ({ querystring }) => {
    const given: Readonly<Record<string, string>> = Object.fromEntries(new URLSearchParams(querystring));
    const problem = check(given);
    if (problem !== null) throw new FieldsError(problem);
    return { ...given, limit: Number(given.limit ?? PAGE) };
  };
}
