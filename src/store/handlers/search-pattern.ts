import { ifGiven } from '../sql.ts';
/** Returns the `LIKE … ESCAPE '~'` pattern of names holding this text; null: no text. */
export function searchPattern(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.trim().replaceAll(/[%_~]/g, '~$&')}%`;
}

/** SQL: whether a column matches :pattern in any case. A null pattern matches all. */
export function isLike(...columns: readonly string[]): string {
  const likes = columns.map((column) => `lower(${column}) LIKE lower(:pattern) ESCAPE '~'`);
  return ifGiven('pattern', likes.join(' OR '));
}
