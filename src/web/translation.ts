/**
 * Texts in another language, of the same names and values as the English ones `T`. What is left out shows in English; a
 * test lists it.
 */
export type Translation<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Text
    ? (...values: Values) => Text
    : T extends readonly unknown[]
      ? { readonly [Name in keyof T]: Translation<T[Name]> }
      : { readonly [Name in keyof T]?: Translation<T[Name]> };

/** The texts of a language, with the first one's where it has none. The build calls it where some are missing. */
export function filled(own: unknown, first: unknown): unknown {
  if (own === undefined) return first;
  if (!isGroup(first) || !isGroup(own)) return own;
  return Object.fromEntries(Object.entries(first).map(([name, text]) => [name, filled(own[name], text)]));
}

/** A list is one text, as is a function. */
function isGroup(text: unknown): text is Readonly<Record<string, unknown>> {
  return typeof text === 'object' && text !== null && !Array.isArray(text);
}
