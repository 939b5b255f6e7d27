/** Rows as JSON with a list for each column. The database makes it in half the time of an object for each row. */
export type Columns<T> = { readonly [Name in keyof T]: readonly T[Name][] | null };

/** Returns the SQL of `Columns` over rows. */
export function inColumns(row: string, names: readonly string[]): string {
  return `json_build_object(${names.map((name) => `'${name}', json_agg(${row}."${name}")`).join(', ')})`;
}

/** Returns the rows again. Without rows, all columns are null. */
export function rowsOf<T extends object>(columns: Columns<T>): readonly T[] {
  const lists = Object.entries(columns) as [keyof T, readonly T[keyof T][] | null][];
  const length = lists[0]?.[1]?.length ?? 0;
  return Array.from({ length }, (_, place) => {
    const row = {} as T;
    for (const [name, list] of lists) row[name] = list?.[place] as T[keyof T];
    return row;
  });
}
