/** Cluster-wide advisory locks, until the transaction ends. Separate schemas do not wait for each other. */
export const LOCKS = {
  /** Handlers' changes, one group at a time, as they assume. */
  changes: 1,
  /** Schema upgrades. */
  migrations: 2,
  /** Plans and the set of channels. Accepting transactions share it (functions/accept.sql). */
  plans: 3,
  /** Cleanup. No call waits for it. */
  cleanup: 4,
} as const;

export function lockKeys(lock: keyof typeof LOCKS): string {
  return `${LOCKS[lock]}, current_schema()::text::regnamespace::oid::int`;
}

/** Returns a statement that takes the lock until the transaction ends. */
export function takingLock(lock: keyof typeof LOCKS): string {
  return `SELECT pg_advisory_xact_lock(${lockKeys(lock)})`;
}
