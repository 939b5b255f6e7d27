/**
 * Replaces what PostgreSQL texts cannot store (U+0000, lone surrogates) by U+FFFD, like any decoder. No device shows
 * them either. Converts lists too; other values are unchanged.
 */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
