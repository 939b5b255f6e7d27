import { parse as parseForm } from 'node:querystring';
import { isJsonObject } from '../../values/json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The text of a body, which may be JSON. It is parsed when that is first asked for, and once. */
export class Body {
  readonly text: string;
  readonly #mostValues: number;
  #parsed: { readonly value: unknown } | null = null;

  /** `mostValues`: with more it is a text alone. More than any program sends in 64 KiB, and as cost little to parse. */
  constructor(text: string, mostValues = 16_384) {
    this.text = text;
    this.#mostValues = mostValues;
  }

  /** Null: it is no JSON object. */
  get object(): JsonObject | null {
    const value = this.json;
    return isJsonObject(value) ? value : null;
  }

  /** Whether there is anything to read in it: in JSON a text, a number or a boolean, at whatever place. */
  get saysSomething(): boolean {
    const value = this.json;
    return value === undefined ? this.text.trim() !== '' : holdsText(value);
  }

  /** Undefined: it is no JSON. */
  get json(): unknown {
    this.#parsed ??= { value: countValues(this.text) > this.#mostValues ? undefined : parsed(this.text) };
    return this.#parsed.value;
  }
}

/** At least as many values as a text has if it is JSON, found without parsing it. */
export function countValues(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) if (AFTER_A_VALUE.has(text.charCodeAt(at))) values += 1;
  return values;
}

const AFTER_A_VALUE = new Set([...',:{['].map((mark) => mark.charCodeAt(0)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/**
 * The first fields of a form (application/x-www-form-urlencoded), a list for a name that comes again. Not by
 * URLSearchParams, whose time grows with the square of the length: 64 KiB of `a&` would take 10 ms and 2 MiB 12 s.
 */
export function formFields(body: string): JsonObject {
  return { ...parseForm(body, '&', '=', { maxKeys: MOST_FIELDS }) };
}

const MOST_FIELDS = 50;

/** The body itself, or what the field `payload` of a form holds, as Slack has it, and GitHub by default. */
export function payloadIn(body: Body): Body {
  if (body.object !== null) return body;
  const [payload] = [formFields(body.text).payload].flat();
  return payload === undefined ? body : new Body(textOf(payload));
}

/** No program sends so much, or nests it so deep, without anything in it. */
const DEEPEST = 8;
const MOST_VALUES = 10_000;

function holdsText(whole: unknown): boolean {
  let seen = 0;
  const holds = (value: unknown, depth: number): boolean => {
    seen += 1;
    if (typeof value !== 'object' || value === null) return scalarText(value).trim() !== '';
    return depth === 0 || seen > MOST_VALUES || Object.values(value).some((inner) => holds(inner, depth - 1));
  };
  return holds(whole, DEEPEST);
}

/** What is nested without end cannot be written again. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** A text, or a number as one; an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A text, number or boolean as a text; an empty text for anything else. */
export function scalarText(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : textOf(value);
}

/** An object, or an empty one for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Takes the first values of lists and objects before anything is made of them, and remembers which were cut. One for
 * each body, as it bounds how many values are taken of it in all: many short lists are a long one, too.
 */
export class Cutter {
  readonly #cut = new Set<string>();
  #left: number;

  constructor(mostInAll: number) {
    this.#left = mostInAll;
  }

  /** The names of what was cut. */
  get cut(): readonly string[] {
    return [...this.#cut];
  }

  /** The objects of a list; an empty list for anything else. `name`: of the list, for the note that it was cut. */
  objects(name: string, value: unknown, most: number): readonly JsonObject[] {
    return Array.isArray(value) ? this.#first(name, value, most).filter(isJsonObject) : [];
  }

  /** The texts of a list; an empty list for anything else. */
  texts(name: string, value: unknown, most: number): readonly string[] {
    if (!Array.isArray(value)) return [];
    return this.#first(name, value, most)
      .map(textOf)
      .filter((text) => text !== '');
  }

  /** The fields of an object that are texts, numbers or booleans. */
  fields(name: string, value: unknown, most: number): ReadonlyMap<string, string> {
    const names = this.#first(name, Object.keys(objectOf(value)), most);
    const texts = names.map((field) => [field, scalarText(objectOf(value)[field])] as const);
    return new Map(texts.filter(([, text]) => text !== ''));
  }

  #first<T>(name: string, list: readonly T[], most: number): readonly T[] {
    const taken = list.slice(0, Math.min(most, this.#left));
    this.#left -= taken.length;
    if (taken.length < list.length) this.#cut.add(name);
    return taken;
  }
}
