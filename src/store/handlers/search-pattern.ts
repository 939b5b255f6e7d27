/** Returns the `LIKE … ESCAPE '~'` pattern of names that hold this text; null: no text. */
export function searchPattern(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.trim().replaceAll(/[%_~]/g, '~$&')}%`;
}

/** SQL: whether a column matches :pattern in any case. A null pattern matches all. */
export function isLike(...columns: readonly string[]): string {
  const likes = columns.map((column) => `lower(${column}) LIKE lower(CAST(:pattern AS TEXT)) ESCAPE '~'`);
  return `(CAST(:pattern AS TEXT) IS NULL OR ${likes.join(' OR ')})`;
}
