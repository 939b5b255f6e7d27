import { REMOVABLE_ENTRY } from '../../handlers/retention/retention.ts';
import type { Db } from '../transaction.ts';
import { ENTRY_SIZE } from './shares.ts';

interface OldEntry {
  readonly id: number;
  readonly bytes: number;
}

/** How many of a holder's entries were removed; 0: none old enough. */
export interface Trimmed {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Removes some of a holder's oldest audit entries. The last of them becomes an entry that says so, and stands for all
 * entries removed before. So no one can erase their traces unnoticed.
 */
export function auditTrim(db: Db): (holder: string, beforeMs: number, limit: number) => Trimmed {
  const oldest = db.prepare<{ holder: string; beforeMs: number; limit: number }, OldEntry>(`
    WITH part AS (SELECT id, at, ${ENTRY_SIZE} AS bytes FROM audit WHERE holder = :holder ORDER BY id LIMIT :limit)
    SELECT id, bytes FROM part
    WHERE at < :beforeMs AND ${REMOVABLE_ENTRY} ORDER BY id
  `);
  const remove = db.prepare<[number]>('DELETE FROM audit WHERE id = ?');
  const replace = db.prepare<{ id: number; object: string }>(`
    UPDATE audit SET actor_kind = 'operator', actor = 'pushctl', address = NULL, action = 'audit.trim', object = :object
    WHERE id = :id
  `);

  return (holder, beforeMs, limit) => {
    const old = oldest.all({ holder, beforeMs, limit: Math.max(3, limit) });
    const last = old.pop();
    if (last === undefined || old.length === 0) return { entries: 0, bytes: 0 };
    for (const { id } of old) remove.run(id);
    replace.run({ id: last.id, object: holder.replace(/^:/, '') });
    return { entries: old.length, bytes: old.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
}
