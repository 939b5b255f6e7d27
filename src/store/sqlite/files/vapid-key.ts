import { existsSync } from 'node:fs';
import { openReadOnly } from '../database.ts';
import type { Db } from '../transaction.ts';

export interface VapidKeyRow {
  readonly public_key: string;
  readonly private_key: string;
  readonly made_at: number;
}

/** Returns a database's Web Push key; null: none, or damaged. */
export function vapidKeyOf(database: string): VapidKeyRow | null {
  if (!existsSync(database)) return null;
  try {
    using db = openReadOnly(database);
    return keptKeyIn(db);
  } catch {
    return null;
  }
}

/**
 * Browsers are bound to their key, so a backup's key stays. A backup without one gets that of `before`, not a new one.
 * Returns whether the key changed.
 */
export function settleVapidKey(db: Db, before: VapidKeyRow | null): boolean {
  const own = keptKeyIn(db);
  if (own !== null) return before !== null && before.public_key !== own.public_key;
  if (before === null) return false;
  db.prepare<[VapidKeyRow]>(
    'INSERT INTO vapid_key (id, public_key, private_key, made_at) VALUES (1, :public_key, :private_key, :made_at)',
  ).run(before);
  return false;
}

function keptKeyIn(db: Db): VapidKeyRow | null {
  const row = db.prepare<[], VapidKeyRow>('SELECT public_key, private_key, made_at FROM vapid_key').get();
  return row ?? null;
}
