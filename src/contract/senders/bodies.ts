import { isJsonObject } from '../../json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The body as a JSON object; null where it is none. */
export function jsonObject(body: string): JsonObject | null {
  const value = jsonIn(body);
  return isJsonObject(value) ? value : null;
}

/** Whether there is anything to read in a body: in JSON a text or a number, at whatever place. */
export function saysSomething(body: string): boolean {
  const value = jsonIn(body);
  return value === undefined ? body.trim() !== '' : holdsText(value, DEEPEST);
}

/** Undefined: it is no JSON. */
function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Nobody nests so deep without anything in it, and nothing may be followed without end. */
const DEEPEST = 8;

function holdsText(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return textOf(value).trim() !== '';
  return depth === 0 || Object.values(value).some((inner) => holdsText(inner, depth - 1));
}

/** A text, or a number as one; an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The texts of a list; an empty list for anything else. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf).filter((text) => text !== '') : [];
}

/** The objects of a list; an empty list for anything else. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** An object, or an empty one for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
