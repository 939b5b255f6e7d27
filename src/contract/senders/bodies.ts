import { isJsonObject } from '../../json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The body as a JSON object; null where it is none. */
export function jsonObject(body: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
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
