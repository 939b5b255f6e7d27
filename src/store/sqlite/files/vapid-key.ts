import { existsSync } from 'node:fs';
import { openReadOnly } from '../database.ts';
import type { Db } from '../transaction.ts';

export interface VapidKeyRow {
  readonly public_key: string;
  readonly private_key: string;
  readonly made_at: number;
}

/** The key for Web Push in a database; null: there is none, or the database is damaged. */
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
 * Browsers are bound to the key that they subscribed with. So a backup's own stays with its browsers; one that was made
 * before there was any gets the one of `before`, as another would be made otherwise. Returns whether it is another.
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
