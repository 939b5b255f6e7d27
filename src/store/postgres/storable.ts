/**
 * Replaces characters that PostgreSQL cannot store in texts (U+0000 and lone surrogates) by U+FFFD, like any decoder of
 * damaged text. No device shows them either. Lists are converted as well; other values are returned unchanged.
 */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
