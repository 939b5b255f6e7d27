import type { Connections } from '../connections.ts';

/** Returns the first row. */
export type AskRow = <Row>(text: string, values: readonly unknown[]) => Promise<Row>;

/**
 * A connection that is silent for this long counts as lost, which leaves time for a new one well before a lease ends.
 */
export const LONGEST_SILENCE_MS = 2_500;
/** The database ends a statement earlier than that. */
export const LONGEST_STATEMENT_MS = 2_000;

/** Returns a function that runs each statement in its own transaction. */
export function rowsOver(connections: Connections): AskRow {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await connections.lend(({ ask }) => ask({ text, values, longestMs: LONGEST_SILENCE_MS }));
    return rows[0] as Row;
  };
}
