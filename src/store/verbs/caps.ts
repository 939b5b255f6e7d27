import type { Refusal } from '../calls.ts';
import { workspaceFull } from '../refusals.ts';
import type { Db, StoreSettings } from '../sqlite/transaction.ts';

/**
 * Why a workspace may not have one more, or null. So that nobody makes all that lists and counts them slow for others.
 */
export interface Caps {
  channel(workspace: Place): Refusal | null;
  member(workspace: Place): Refusal | null;
  /** Makes room where it can: of the keys that no longer work, the one that was made first is forgotten. */
  key(workspace: Place, wallMs: number): Refusal | null;
}

interface Place {
  readonly id: number;
  readonly slug: string;
}

export function caps(db: Db, { limits }: Pick<StoreSettings, 'limits'>): Caps {
  const count = (table: 'channel' | 'member' | 'api_key') =>
    db.prepare<[number], number>(`SELECT count(*) FROM ${table} WHERE workspace_id = ?`).pluck();
  const channels = count('channel');
  const members = count('member');
  const keys = count('api_key');
  const forgetDeadKey = db.prepare<{ workspaceId: number; wallMs: number }>(`
    DELETE FROM api_key WHERE id = (
      SELECT id FROM api_key
      WHERE workspace_id = :workspaceId AND (revoked_at IS NOT NULL OR expires_at <= :wallMs)
      ORDER BY created_at LIMIT 1
    )
  `);

  return {
    channel: ({ id, slug }) =>
      (channels.get(id) ?? 0) < limits.channels ? null : workspaceFull(slug, 'channels', limits.channels),
    member: ({ id, slug }) =>
      (members.get(id) ?? 0) < limits.members ? null : workspaceFull(slug, 'members', limits.members),
    key({ id: workspaceId, slug }, wallMs) {
      if ((keys.get(workspaceId) ?? 0) < limits.keys) return null;
      return forgetDeadKey.run({ workspaceId, wallMs }).changes > 0 ? null : workspaceFull(slug, 'keys', limits.keys);
    },
  };
}
