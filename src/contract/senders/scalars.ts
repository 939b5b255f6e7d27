/** A text, or a number as one; an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A text, number or boolean as a text; an empty text for anything else. */
export function scalarText(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : textOf(value);
}
