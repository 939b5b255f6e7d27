/** Returns texts and numbers as text, else an empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns scalars as text, else an empty text. */
export function scalarText(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : textOf(value);
}
