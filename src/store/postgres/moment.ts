/** The database's clock in milliseconds, the same for all nodes. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
