import type { Connections } from '../connections.ts';

type AskRow = <Row>(text: string, values: readonly unknown[]) => Promise<Row>;

/** A connection silent for this long counts as lost, well before a lease ends. */
export const LONGEST_SILENCE_MS = 2_500;
/** The database ends statements earlier. */
export const LONGEST_STATEMENT_MS = 2_000;

/** Returns how to run statements in their own transactions. */
export function rowsOver(connections: Connections): AskRow {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await connections.lend(({ ask }) => ask({ text, values, longestMs: LONGEST_SILENCE_MS }));
    return rows[0] as Row;
  };
}
