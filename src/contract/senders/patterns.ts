import { scalarText } from './scalars.ts';

export interface Filled {
  readonly text: string;
  /** How many of its fields the body has, and how many it lacks. */
  readonly found: number;
  readonly missing: number;
}

/**
 * The most names in a pattern, and the length of each value. More than this is never shown, and no text gets many times
 * as long as its body.
 */
const MOST_NAMES = 10;
const LONGEST = 4_096;

/**
 * Fills a pattern: a JSON pointer (RFC 6901) such as `/check/name`, or text with names or pointers in braces,
 * `{check.name} is {status}`. Empty values, lists and objects count as missing.
 */
export function filled(pattern: string, body: unknown): Filled {
  let [found, missing] = [0, 0];
  const valueAt = (place: string): string => {
    const value = found + missing < MOST_NAMES ? textAt(body, place.trim()) : '';
    if (value.trim() === '') missing += 1;
    else found += 1;
    return value;
  };
  const text = pattern.startsWith('/')
    ? valueAt(pattern)
    : pattern.replaceAll(/\{([^{}]*)\}/g, (_, place: string) => valueAt(place));
  return { text: text.trim(), found, missing };
}

/** Returns the text; empty if none of its fields is found. */
export function textWithAnyField({ text, found, missing }: Filled): string {
  return found > 0 || missing === 0 ? text : '';
}

/** Returns the text; empty if any field is missing. */
export function textWithAllFields({ text, missing }: Filled): string {
  return missing === 0 ? text : '';
}

function textAt(body: unknown, place: string): string {
  let value = body;
  for (const name of namesIn(place)) {
    if (typeof value !== 'object' || value === null) return '';
    const own = Object.hasOwn(value, name) ? name : inOtherCase(value, name);
    if (own === undefined) return '';
    value = (value as Readonly<Record<string, unknown>>)[own];
  }
  return scalarText(value).slice(0, LONGEST);
}

/** Finds a field's own name: programs write any case. */
function inOtherCase(value: object, name: string): string | undefined {
  const known = NAMES.get(value) ?? namesByLowerCase(value);
  NAMES.set(value, known);
  return known.get(name.toLowerCase());
}

function namesByLowerCase(value: object): ReadonlyMap<string, string> {
  const names = Object.keys(value).slice(0, MOST_COMPARED);
  return new Map(names.reverse().map((name) => [name.toLowerCase(), name]));
}

/** Caches searched objects' names: listing large ones takes a millisecond. */
const NAMES = new WeakMap<object, ReadonlyMap<string, string>>();
/** More than a program has in one object. */
const MOST_COMPARED = 200;

function namesIn(place: string): readonly string[] {
  if (!place.startsWith('/')) return place.split('.');
  const names = place.slice(1).split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
