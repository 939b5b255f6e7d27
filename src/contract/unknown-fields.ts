import { nearest } from '../nearest.ts';
import { readSchema } from './schemas.ts';

/** A field of a request that means nothing, and the known one that it may stand for; null: none is near. */
export interface UnknownField {
  readonly field: string;
  readonly nearest: string | null;
}

/** So that an answer stays short, however many fields a body has and however long their names are. */
const MOST_FIELDS = 20;
const LONGEST_NAME = 64;
/** A shorter part of a name says nothing. */
const SHORTEST_PART = 3;

/** Makes what finds the fields of a JSON object that a schema does not name: the first 20, their names cut. */
export function unknownFieldsOf(schemaName: string): (body: Readonly<Record<string, unknown>>) => UnknownField[] {
  const known = Object.keys(readSchema(schemaName).properties as object);
  return (body) => {
    const unknown = Object.keys(body).filter((field) => !known.includes(field));
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
