/** What a name must be like to hold this text, for `LIKE` with `ESCAPE '~'`; null: nothing is looked for. */
export function searchPattern(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.trim().replaceAll(/[%_~]/g, '~$&')}%`;
}

/** SQL: whether one of these columns holds what :pattern is like, whatever the case; all do where that is null. */
export function isLike(...columns: readonly string[]): string {
  const likes = columns.map((column) => `lower(${column}) LIKE lower(CAST(:pattern AS TEXT)) ESCAPE '~'`);
  return `(CAST(:pattern AS TEXT) IS NULL OR ${likes.join(' OR ')})`;
}
