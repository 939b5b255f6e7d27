/**
 * What waits for its turn in the whole cluster, by advisory locks that end with the transaction. Of two installations in
 * one database, each in a schema of its own, neither waits for the other.
 */
export const LOCKS = {
  /** Changes by handlers, one group after the other: a handler thinks that it is alone. */
  changes: 1,
  /** Bringing the schema up to date. */
  migrations: 2,
  /** Which plan a workspace has, and which channels there are: shared by those who accept events (functions/accept.sql). */
  plans: 3,
  /** Removing what is old. No call waits for it. */
  cleanup: 4,
} as const;

/** The keys of a lock, for the functions of advisory locks. */
export function lockKeys(lock: keyof typeof LOCKS): string {
  return `${LOCKS[lock]}, current_schema()::text::regnamespace::oid::int`;
}

/** A statement that waits for the lock, and has it until the transaction ends. */
export function takingLock(lock: keyof typeof LOCKS): string {
  return `SELECT pg_advisory_xact_lock(${lockKeys(lock)})`;
}
