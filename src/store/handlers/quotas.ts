import type { Refusal } from '../calls.ts';
import { pingKeyFull, workspaceFull } from '../refusals.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import { HEARTBEATS } from './heartbeats/rows.ts';

/** Returns why a workspace may have no more, or null. Quotas keep workspaces from slowing others. */
export interface Quotas {
  channel(workspace: NamedWorkspace): Promise<Refusal | null>;
  /** `madeBy`: origin of the key whose ping adds it; limited to a few. */
  heartbeat(workspace: NamedWorkspace, madeBy: string | null): Promise<Refusal | null>;
  member(workspace: NamedWorkspace): Promise<Refusal | null>;
  /** Makes room if possible: deletes the oldest keys that no longer work. */
  key(workspace: NamedWorkspace, wallMs: number): Promise<Refusal | null>;
}

/** Heartbeats made by one key's pings. */
const MADE_BY_PINGS = 20;

interface NamedWorkspace {
  readonly id: number;
  readonly slug: string;
}

export function quotas(sql: Sql, { limits }: Pick<StoreSettings, 'limits'>): Quotas {
  const count = (table: 'channel' | 'member' | 'api_key') =>
    sql.value<{ workspaceId: number }, number>(`SELECT count(*) FROM ${table} WHERE workspace_id = :workspaceId`);
  const channels = count('channel');
  const heartbeats = sql.value<{ workspaceId: number }, number>(
    `SELECT count(*) FROM ${HEARTBEATS} WHERE heartbeat.workspace_id = :workspaceId`,
  );
  const heartbeatsBy = sql.value<{ workspaceId: number; madeBy: string }, number>(
    `SELECT count(*) FROM ${HEARTBEATS} WHERE heartbeat.workspace_id = :workspaceId AND made_by = :madeBy`,
  );
  const members = count('member');
  const keys = count('api_key');
  const forgetDeadKey = sql.run<{ workspaceId: number; wallMs: number }>(`
    DELETE FROM api_key WHERE id = (
      SELECT id FROM api_key
      WHERE workspace_id = :workspaceId AND (revoked_at IS NOT NULL OR expires_at <= :wallMs)
      ORDER BY created_at LIMIT 1
    )
  `);

  return {
    channel: async ({ id: workspaceId, slug }) =>
      ((await channels({ workspaceId })) ?? 0) < limits.channels
        ? null
        : workspaceFull(slug, 'channels', limits.channels),
    async heartbeat({ id: workspaceId, slug }, madeBy) {
      if (((await heartbeats({ workspaceId })) ?? 0) >= limits.heartbeats) {
        return workspaceFull(slug, 'heartbeats', limits.heartbeats);
      }
      if (madeBy === null) return null;
      return ((await heartbeatsBy({ workspaceId, madeBy })) ?? 0) < MADE_BY_PINGS ? null : pingKeyFull(MADE_BY_PINGS);
    },
    member: async ({ id: workspaceId, slug }) =>
      ((await members({ workspaceId })) ?? 0) < limits.members ? null : workspaceFull(slug, 'members', limits.members),
    async key({ id: workspaceId, slug }, wallMs) {
      if (((await keys({ workspaceId })) ?? 0) < limits.keys) return null;
      return (await forgetDeadKey({ workspaceId, wallMs })) > 0 ? null : workspaceFull(slug, 'keys', limits.keys);
    },
  };
}
