import type { Connections } from '../connections.ts';

/** Answers the first row. */
export type AskRow = <Row>(text: string, values: readonly unknown[]) => Promise<Row>;

/** A connection that is silent for so long counts as lost: the next one must be there well before a lease ends. */
export const LONGEST_SILENCE_MS = 2_500;

/** Each question is a transaction of its own. */
export function rowsOver(connections: Connections, longestMs: number = LONGEST_SILENCE_MS): AskRow {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await connections.lend(({ ask }) => ask({ text, values, longestMs }));
    return rows[0] as Row;
  };
}
