/**
 * Returns the pattern of names that hold this text, for `LIKE` with `ESCAPE '~'`; null: there is no text to search for.
 */
export function searchPattern(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.trim().replaceAll(/[%_~]/g, '~$&')}%`;
}

/** SQL: whether one of these columns matches :pattern, whatever the case. All columns match if :pattern is null. */
export function isLike(...columns: readonly string[]): string {
  const likes = columns.map((column) => `lower(${column}) LIKE lower(CAST(:pattern AS TEXT)) ESCAPE '~'`);
  return `(CAST(:pattern AS TEXT) IS NULL OR ${likes.join(' OR ')})`;
}
