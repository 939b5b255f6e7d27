import { isJsonObject, type JsonObject } from '../../values/json.ts';
import { decodeText } from '../../values/text.ts';
import { formFields, isDeclaredForm, isDeclaredMultipart, isLikeForm, multipartFields } from './forms.ts';
import { readLoosely } from './loose-json.ts';

interface BodyOptions {
  /** The value that the request declares. */
  readonly contentType?: string;
  /** Limits the values read. The default exceeds what programs send in 64 KiB, and is cheap to read. */
  readonly mostValues?: number;
}

/** The body that a sender posts: JSON, a form or a text. It is parsed once, on the first access. */
export class Body {
  readonly #bytes: Uint8Array;
  readonly #contentType: string;
  readonly #mostValues: number;
  #text: string | null = null;
  #read: { readonly value: unknown } | null = null;
  #fields: JsonObject | null = null;

  constructor(sent: string | Uint8Array, { contentType = '', mostValues = 16_384 }: BodyOptions = {}) {
    if (typeof sent === 'string') this.#text = sent;
    this.#bytes = typeof sent === 'string' ? NO_BYTES : sent;
    this.#contentType = contentType;
    this.#mostValues = mostValues;
  }

  get text(): string {
    this.#text ??= decodeText(this.#bytes, this.#contentType);
    return this.#text;
  }

  /** The JSON value or form fields; undefined: neither. */
  get json(): unknown {
    this.#read ??= { value: this.#readValue() };
    return this.#read.value;
  }

  /** Null: it has no fields. */
  get object(): JsonObject | null {
    const value = this.json;
    return isJsonObject(value) ? value : null;
  }

  /** The same fields, also by their names in lower case; empty if the body has none. */
  get fields(): JsonObject {
    this.#fields ??= inAnyCase(this.object ?? {});
    return this.#fields;
  }

  /** Tells whether anything is readable: in JSON a text, number or boolean anywhere. */
  get hasContent(): boolean {
    const value = this.json;
    return value === undefined ? this.text.trim() !== '' : hasText(value);
  }

  /** The readable body, a line for each field. */
  get readable(): string {
    const value = this.json;
    return (typeof value === 'object' && value !== null && linesOf(value)) || this.text;
  }

  #readValue(): unknown {
    const { text } = this;
    const isMultipart = isDeclaredMultipart(this.#contentType);
    const parts = isMultipart ? multipartFields(this.#sent(), this.#contentType) : null;
    if (parts !== null) return this.#unwrapped(parts);
    const isDeclared = isMultipart || isDeclaredForm(this.#contentType);
    const isForm = text.startsWith('payload=') || (isDeclared && isLikeForm(text));
    return isForm ? this.#unwrapped(formFields(text, this.#contentType)) : this.#parsed(text);
  }

  #sent(): Uint8Array {
    return this.#bytes === NO_BYTES ? Buffer.from(this.text) : this.#bytes;
  }

  /** Unwraps JSON in a form's `payload` (Slack, GitHub) or `data` (Uptime Kuma). */
  #unwrapped(form: JsonObject): unknown {
    const wrapped = ['payload', 'data'].map((name) => this.#parsed(textOf([form[name]].flat()[0])));
    return wrapped.find(isJsonObject) ?? form;
  }

  #parsed(given: string): unknown {
    const text = given.replace(/^\uFEFF/, '');
    const value = countValues(text) > this.#mostValues ? undefined : parsed(text);
    return value === undefined ? readLoosely(text, this.#mostValues / SLOWER) : value;
  }
}

const NO_BYTES = new Uint8Array();
/** Loose reading takes this many times as long as the parser. */
const SLOWER = 8;

/** Adds fields by lower-case names, since Go and C# programs write and read any case. */
export function inAnyCase(fields: JsonObject): JsonObject {
  const names = Object.keys(fields).slice(0, MOST_NAMES);
  const others = names.filter((name) => name !== name.toLowerCase());
  if (others.length === 0) return fields;
  return { ...Object.fromEntries(others.map((name) => [name.toLowerCase(), fields[name]])), ...fields };
}

/** More than a program has in one object. */
const MOST_NAMES = 200;

/** Returns an upper bound for the number of values in JSON, without parsing it. */
function countValues(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) if (AFTER_A_VALUE.has(text.charCodeAt(at))) values += 1;
  return values;
}

const AFTER_A_VALUE = new Set([...',:{['].map((mark) => mark.charCodeAt(0)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No program sends so many values, or nests them so deep, without content. */
const DEEPEST = 8;
const MOST_VALUES = 10_000;

function hasText(whole: unknown): boolean {
  let seen = 0;
  const hasTextIn = (value: unknown, depth: number): boolean => {
    seen += 1;
    if (typeof value !== 'object' || value === null) return scalarText(value).trim() !== '';
    return depth === 0 || seen > MOST_VALUES || Object.values(value).some((inner) => hasTextIn(inner, depth - 1));
  };
  return hasTextIn(whole, DEEPEST);
}

/** Tells whether a value is shallow enough to be written again. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** Returns an object; empty for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Takes the first values of lists and objects before they are used, and notes which were cut. Each body has one Cutter,
 * which bounds the values taken in all: many short lists count like a long one.
 */
export class Cutter {
  readonly #cut = new Set<string>();
  #left: number;

  constructor(mostInAll: number) {
    this.#left = mostInAll;
  }

  get cut(): readonly string[] {
    return [...this.#cut];
  }

  /** Returns a list's objects, else an empty list. `name`: noted if cut. */
  objects(name: string, value: unknown, most: number): readonly JsonObject[] {
    return Array.isArray(value) ? this.#first(name, value, most).filter(isJsonObject) : [];
  }

  /** Returns a list's texts, else an empty list. */
  texts(name: string, value: unknown, most: number): readonly string[] {
    if (!Array.isArray(value)) return [];
    return this.#first(name, value, most)
      .map(textOf)
      .filter((text) => text !== '');
  }

  /** Returns the fields of an object that are texts, numbers or booleans. */
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

/** More than is shown. */
const MOST_CHARACTERS = 8_192;
const MOST_IN_A_LINE = 100;
const DEEPEST_LINES = 16;

/** Returns readable JSON, a line for each text: `event.host: db-1`. */
function linesOf(value: unknown): string {
  const lines: string[] = [];
  let left = MOST_CHARACTERS;
  const add = (inner: unknown, path: readonly string[]): void => {
    if (left <= 0 || path.length > DEEPEST_LINES) return;
    const isList = Array.isArray(inner) && inner.slice(0, MOST_IN_A_LINE).every((entry) => typeof entry !== 'object');
    if (typeof inner !== 'object' || inner === null || isList) {
      const text = isList
        ? inner.slice(0, MOST_IN_A_LINE).map(scalarText).filter(Boolean).join(', ')
        : scalarText(inner);
      if (text.trim() === '') return;
      const line = path.length === 0 ? text : `${path.join('.')}: ${text.trim()}`;
      lines.push(line.slice(0, MOST_CHARACTERS));
      left -= line.length;
      return;
    }
    for (const name in inner) {
      if (left <= 0) return;
      add((inner as Readonly<Record<string, unknown>>)[name], [...path, name]);
    }
  };
  add(value, []);
  return lines.join('\n');
}

/** Returns texts and numbers as text, else an empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns scalars as text, else an empty text. */
export function scalarText(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : textOf(value);
}
