import type { Connections } from '../connections.ts';

/** Returns the first row. */
export type AskRow = <Row>(text: string, values: readonly unknown[]) => Promise<Row>;

/** A connection that is silent for so long counts as lost: the next one must be there well before a lease ends. */
export const LONGEST_SILENCE_MS = 2_500;
/** In the database a question ends before. */
export const LONGEST_STATEMENT_MS = 2_000;

/** Each question is a transaction of its own. */
export function rowsOver(connections: Connections): AskRow {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await connections.lend(({ ask }) => ask({ text, values, longestMs: LONGEST_SILENCE_MS }));
    return rows[0] as Row;
  };
}
