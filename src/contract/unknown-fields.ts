import { nearest } from '../values/nearest.ts';
import type { ApiSchema } from './api-types.ts';

/** A field of a request that means nothing, and the known one that it may stand for; null: none is near. */
export type UnknownField = ApiSchema<'UnknownField'>;

/** So that an answer stays short, however many fields a body has and however long their names are. */
const MOST_FIELDS = 20;
const LONGEST_NAME = 64;
/** A shorter part of a name says nothing. */
const SHORTEST_PART = 3;

/** Makes what finds the names that are not among the known ones: each once, the first 20, cut. */
export function unknownFieldsOf(known: readonly string[]): (names: Iterable<string>) => UnknownField[] {
  return (names) => {
    const unknown = [...new Set(names)].filter((field) => !known.includes(field));
    return unknown.slice(0, MOST_FIELDS).map((name) => {
      const field = name.slice(0, LONGEST_NAME).toWellFormed();
      return { field, nearest: partOf(field, known) ?? nearest(field, known) };
    });
  };
}

/** `urgency` can only be a part of `delivery_urgency`. */
function partOf(field: string, known: readonly string[]): string | null {
  const part = field.toLowerCase();
  const [only, another] = part.length < SHORTEST_PART ? [] : known.filter((name) => name.split('_').includes(part));
  return another === undefined ? (only ?? null) : null;
}
