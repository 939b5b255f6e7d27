/** Texts of another language, shaped like the English `T`. Missing ones show in English; a test lists them. */
export type Translation<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Text
    ? (...values: Values) => Text
    : T extends readonly unknown[]
      ? { readonly [Name in keyof T]: Translation<T[Name]> }
      : { readonly [Name in keyof T]?: Translation<T[Name]> };

/** Fills gaps in a language with English. The build calls it for incomplete files. */
export function filled(own: unknown, first: unknown): unknown {
  if (own === undefined) return first;
  if (!isGroup(first) || !isGroup(own)) return own;
  return Object.fromEntries(Object.entries(first).map(([name, text]) => [name, filled(own[name], text)]));
}

/** Tells whether a value has named texts: lists and functions count as one text. */
function isGroup(text: unknown): text is Readonly<Record<string, unknown>> {
  return typeof text === 'object' && text !== null && !Array.isArray(text);
}
