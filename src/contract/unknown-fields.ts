import { nearest } from '../values/nearest.ts';
import type { ApiSchema } from './api-types.ts';

/** An unknown field, and the known one nearby; null: none. */
export type UnknownField = ApiSchema<'UnknownField'>;

/** Bounds the answer for any number and length of names. */
const MOST_FIELDS = 20;
const LONGEST_NAME = 64;
/** A shorter part of a name says nothing. */
const SHORTEST_PART = 3;

/** Finds unknown names: distinct, the first 20, shortened. */
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
