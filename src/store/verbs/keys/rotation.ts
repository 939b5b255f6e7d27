import { isRefusal } from '../../calls.ts';
import { alreadyRotated, deadKey, invalidField, keyExists } from '../../refusals.ts';
import type { Db, Handlers, StoreSettings } from '../../sqlite/transaction.ts';
import { caps } from '../caps.ts';
import { lookups } from '../lookups.ts';
import { keyBindings } from './bindings.ts';
import { expiryMs, expiryProblem, keyTable, statusOf } from './rows.ts';

export function rotation(db: Db, settings: StoreSettings): Handlers<'rotateKey'> {
  const supersede = db.prepare<{ id: string; successor: string; atMs: number }>(`
    UPDATE api_key SET successor = :successor, expires_at = min(coalesce(expires_at, :atMs), :atMs) WHERE id = :id
  `);
  const table = keyTable(db);
  const bindings = keyBindings(db);
  const cap = caps(db, settings);
  const find = lookups(db);

  /** The successor of a key, while it works. */
  function livingSuccessor(id: string | null, wallMs: number): string | null {
    const successor = id === null ? undefined : table.byId(id);
    return successor !== undefined && statusOf(successor, wallMs) === 'active' ? successor.id : null;
  }

  return {
    rotateKey({ id, workspace, newId, secretHash, graceMs, again = false, expires }, { wallMs }) {
      const old = find.key(id, workspace);
      if (isRefusal(old)) return old;
      const status = statusOf(old, wallMs);
      if (status !== 'active') return deadKey(id, status);
      const lifeEndMs = old.life === null ? null : expiryMs({ afterMs: old.life }, wallMs);
      const expires_at = expires === undefined ? lifeEndMs : expiryMs(expires, wallMs);
      const problem = expiryProblem(expires_at, wallMs);
      if (problem !== null) return invalidField(problem);
      const before = livingSuccessor(old.successor, wallMs);
      if (before !== null && !again) return alreadyRotated(id, before);
      const full = cap.key(find.workspaceById(old.workspace_id), wallMs);
      if (full !== null) return full;
      const secret_hash = Buffer.from(secretHash, 'hex');
      const row = table.insert({ ...old, id: newId, secret_hash, created_at: wallMs, expires_at });
      if (row === undefined) return keyExists(newId);
      bindings.copy(id, newId);
      if (before !== null) table.revoke(before, wallMs);
      supersede.run({ id, successor: newId, atMs: wallMs + graceMs });
      return { key: table.shown(row, wallMs), revoked: before };
    },
  };
}
