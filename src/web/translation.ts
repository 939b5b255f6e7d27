/**
 * Texts in another language, with the same names and values as the English ones `T`. Missing texts show in English; a
 * test lists them.
 */
export type Translation<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Text
    ? (...values: Values) => Text
    : T extends readonly unknown[]
      ? { readonly [Name in keyof T]: Translation<T[Name]> }
      : { readonly [Name in keyof T]?: Translation<T[Name]> };

/** Fills gaps in the texts of a language with the English ones. The build calls it for files with missing texts. */
export function filled(own: unknown, first: unknown): unknown {
  if (own === undefined) return first;
  if (!isGroup(first) || !isGroup(own)) return own;
  return Object.fromEntries(Object.entries(first).map(([name, text]) => [name, filled(own[name], text)]));
}

/** Tells whether a value contains named texts: a list counts as one text, like a function. */
function isGroup(text: unknown): text is Readonly<Record<string, unknown>> {
  return typeof text === 'object' && text !== null && !Array.isArray(text);
}
