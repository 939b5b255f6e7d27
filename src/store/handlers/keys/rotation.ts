import { isRefusal } from '../../calls.ts';
import { alreadyRotated, conflict, deadKey, invalidField, noKey } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { quotas } from '../quotas.ts';
import { keyBindings } from './bindings.ts';
import { expiryMs, expiryProblem, keyTable, statusOf } from './rows.ts';

export function rotation(sql: Sql, settings: StoreSettings) {
  const supersede = sql.run<{ id: string; successor: string; atMs: number }>(`
    UPDATE api_key
    SET successor = :successor, expires_at = CASE WHEN expires_at < :atMs THEN expires_at ELSE :atMs END
    WHERE id = :id
  `);
  const table = keyTable(sql);
  const bindings = keyBindings(sql);
  const quota = quotas(sql, settings);
  const find = lookups(sql);

  async function livingSuccessor(id: string | null, wallMs: number): Promise<string | null> {
    const successor = id === null ? undefined : await table.byId(id);
    return successor !== undefined && statusOf(successor, wallMs) === 'active' ? successor.id : null;
  }

  return {
    async rotateKey({ id, workspace, newId, secretHash, graceMs, again = false, expires }, { wallMs }) {
      const old = await find.key(id, workspace);
      if (isRefusal(old)) return old;
      const owner = await find.workspaceById(old.workspace_id);
      if (owner === undefined) return noKey(id);
      const status = statusOf(old, wallMs);
      if (status !== 'active') return deadKey(id, status);
      const lifeEndMs = old.life === null ? null : expiryMs({ afterMs: old.life }, wallMs);
      const expires_at = expires === undefined ? lifeEndMs : expiryMs(expires, wallMs);
      const problem = expiryProblem(expires_at, wallMs);
      if (problem !== null) return invalidField(problem);
      const before = await livingSuccessor(old.successor, wallMs);
      if (before !== null && !again) return alreadyRotated(id, before);
      const full = await quota.key(owner, wallMs);
      if (full !== null) return full;
      const secret_hash = Buffer.from(secretHash, 'hex');
      const row = await table.insert({ ...old, id: newId, secret_hash, created_at: wallMs, expires_at });
      if (row === undefined) return conflict('key_exists', { key: newId });
      await bindings.copy(id, newId);
      if (before !== null) await table.revoke(before, wallMs);
      await supersede({ id, successor: newId, atMs: wallMs + graceMs });
      return { api_key: await table.shown(row, wallMs), revoked: before };
    },
  } satisfies SomeHandlers;
}
