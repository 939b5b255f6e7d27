/**
 * PostgreSQL's texts hold every character but U+0000 and halves of surrogate pairs, which no device shows either: like
 * any decoder of damaged text, U+FFFD instead. In lists as well; what is no text stays as it is.
 */
export function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
