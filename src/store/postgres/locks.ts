/**
 * Advisory locks of the whole cluster, which end with the transaction. Installations in separate schemas of one
 * database do not wait for each other.
 */
export const LOCKS = {
  /** Changes by handlers, one group at a time: handlers assume that they run alone. */
  changes: 1,
  /** Schema upgrades. */
  migrations: 2,
  /**
   * Plans of workspaces and the set of channels. Transactions that accept events share this lock
   * (functions/accept.sql).
   */
  plans: 3,
  /** Cleanup. No call waits for it. */
  cleanup: 4,
} as const;

/** The keys of a lock, for the functions of advisory locks. */
export function lockKeys(lock: keyof typeof LOCKS): string {
  return `${LOCKS[lock]}, current_schema()::text::regnamespace::oid::int`;
}

/** Returns a statement that waits for the lock, and holds it until the transaction ends. */
export function takingLock(lock: keyof typeof LOCKS): string {
  return `SELECT pg_advisory_xact_lock(${lockKeys(lock)})`;
}
