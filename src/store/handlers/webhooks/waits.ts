import { nextTryInMs, restMs } from '../../../contract/webhooks.ts';

/** How long a server may send a message: longer than any attempt. */
export const LEASE_MS = 60_000;

/** SQL: the wait for each count from 1 on, as long as it grows; 0 for none. */
function byCount(column: string, waitMs: (count: number) => number | null): string {
  const values: number[] = [];
  for (let count = 1; ; count += 1) {
    const value = waitMs(count);
    if (value === null || value === values.at(-1)) break;
    values.push(value);
  }
  const cases = values.map((value, place) => `WHEN ${place + 1} THEN ${value}`).join(' ');
  return `CASE ${column} WHEN 0 THEN 0 ${cases} ELSE ${values.at(-1)} END`;
}

const NOW = 'CAST(:steadyMs AS BIGINT)';

/** Ends a wait that is longer than a new one would be. Changes up to `:most` rows. */
function shorten(table: string, column: string, longestMs: string): string {
  // The first part names the index of rows that wait.
  const isTooLong = `${column} > 0 AND ${column} > ${NOW} + ${longestMs}`;
  return `
    UPDATE ${table} SET ${column} = ${NOW} + ${longestMs}
    WHERE id IN (SELECT id FROM ${table} WHERE ${isTooLong} LIMIT CAST(:most AS BIGINT)) AND ${isTooLong}`;
}

/**
 * Statements after a setback of the queue's clock: nothing for a webhook waits longer than after a failure of this
 * moment. Repeat each one until it changes no row.
 */
export const SHORTEN_WEBHOOK_WAITS: readonly string[] = [
  shorten('webhook', 'busy_until', String(LEASE_MS)),
  shorten('webhook', 'rests_until', byCount('failures', restMs)),
  shorten('webhook_message', 'due_at', byCount('attempts', nextTryInMs)),
];
