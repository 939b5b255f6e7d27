/**
 * Replaces what PostgreSQL cannot store (U+0000, lone surrogates) by U+FFFD, as decoders do; no device shows them.
 * Converts lists too; others stay.
 */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
