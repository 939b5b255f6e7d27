import { isJsonObject } from '../values/json.ts';
import { nearest } from '../values/nearest.ts';
import type { ApiSchema } from './api-types.ts';
import type { Schema } from './schemas.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns what drops optional fields that are null, empty or blank, as generated clients send them. `isChange`: of a
 * PATCH, in which null clears a field. Only inner objects, replaced as a whole, are then searched.
 */
export function givenFieldsOf({ properties = {}, required = [] }: Schema, isChange = false): (body: Body) => Body {
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>)
    // Keeps fields that are always rejected.
    .filter(([, schema]) => schema.not === undefined)
    .map(([name, schema]): Field => {
      const isOptional = !isChange && !(required as readonly string[]).includes(name);
      const within = schema.properties === undefined ? null : givenFieldsOf(schema);
      return { name, isAbsent: isOptional ? absence(schema) : isNever, within };
    })
    .filter(({ isAbsent, within }) => isAbsent !== isNever || within !== null);
  return (body) => {
    let given: Record<string, unknown> | null = null;
    for (const { name, isAbsent, within } of fields) {
      if (!Object.hasOwn(body, name)) continue;
      const value = body[name];
      const isLeftOut = isAbsent(value);
      const kept = within !== null && isJsonObject(value) ? within(value) : value;
      if (!isLeftOut && kept === value) continue;
      given ??= { ...body };
      if (isLeftOut) delete given[name];
      else given[name] = kept;
    }
    return given ?? body;
  };
}

interface Field {
  readonly name: string;
  readonly isAbsent: (value: unknown) => boolean;
  /** Drops fields of the value, an object. */
  readonly within: ((body: Body) => Body) | null;
}

export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** A password may be blank. */
function absence({ format }: Schema): (value: unknown) => boolean {
  if (format === 'password') return (value) => value === null || value === '';
  return (value) => value === null || (typeof value === 'string' && isBlank(value));
}

function isNever(): boolean {
  return false;
}

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
