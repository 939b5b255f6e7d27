import { type FieldProblem, fieldProblem } from '../../../contract/details.ts';
import type { Level, Scope, Urgency } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import type { ApiKey, Expiry } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { keyBindings } from './bindings.ts';

export interface KeyRow {
  readonly id: string;
  readonly workspace_id: number;
  readonly origin: string;
  readonly name: string;
  readonly secret_hash: Buffer;
  /** Separated by blanks. */
  readonly scopes: string;
  /** 1: it may name only channels it is bound to. */
  readonly bound: 0 | 1;
  readonly burst_per_minute: number | null;
  readonly level: Level | null;
  readonly urgency: Urgency | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  /** The key's life at issue; null: no end. */
  readonly life: number | null;
  /** The replacing key's id. */
  readonly successor: string | null;
}

type NewKeyRow = Omit<KeyRow, 'revoked_at' | 'last_used_at' | 'life' | 'successor'>;

interface KeyTable {
  byId(id: string): Promise<KeyRow | undefined>;
  /** Inserts a key. Undefined: id taken. */
  insert(key: NewKeyRow): Promise<KeyRow | undefined>;
  /** Revokes a key. A revoked key keeps that time. */
  revoke(id: string, wallMs: number): Promise<KeyRow | undefined>;
  shown(key: KeyRow, wallMs: number): Promise<ApiKey>;
}

export function keyTable(sql: Sql): KeyTable {
  const byId = sql.get<{ id: string }, KeyRow>('SELECT * FROM api_key WHERE id = :id');
  const insert = sql.get<NewKeyRow & Pick<KeyRow, 'life'>, KeyRow>(`
    INSERT INTO api_key (id, workspace_id, origin, name, secret_hash, scopes, bound, burst_per_minute, level, urgency,
      created_at, expires_at, life)
    VALUES (:id, :workspace_id, :origin, :name, :secret_hash, :scopes, :bound, :burst_per_minute, :level, :urgency,
      :created_at, :expires_at, :life)
    ON CONFLICT (id) DO NOTHING RETURNING *
  `);
  const revoke = sql.get<{ id: string; wallMs: number }, KeyRow>(
    'UPDATE api_key SET revoked_at = coalesce(revoked_at, :wallMs) WHERE id = :id RETURNING *',
  );
  const bindings = keyBindings(sql);

  return {
    byId: async (id) => byId({ id }),
    insert: async (key) => insert({ ...key, life: key.expires_at === null ? null : key.expires_at - key.created_at }),
    revoke: async (id, wallMs) => revoke({ id, wallMs }),
    shown: async (key, wallMs) => ({
      id: key.id,
      name: key.name,
      scopes: scopesOf(key),
      channels: key.bound === 1 ? await bindings.slugsOf(key.id) : null,
      status: statusOf(key, wallMs),
      burst_per_minute: key.burst_per_minute,
      level: key.level,
      delivery_urgency: key.urgency,
      created_at: toTimestamp(key.created_at),
      expires_at: toTimestampOrNull(key.expires_at),
      last_used_at: toTimestampOrNull(key.last_used_at),
      successor: key.successor,
    }),
  };
}

/** Returns an expiry's time, within a timestamp's four-digit year. */
export function expiryMs(expires: Expiry, wallMs: number): number {
  return Math.min('atMs' in expires ? expires.atMs : wallMs + expires.afterMs, LATEST_MS);
}

const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns the problem of a new expiry, or null. `expiresAtMs` null: never. */
export function expiryProblem(expiresAtMs: number | null, wallMs: number): FieldProblem | null {
  if (expiresAtMs === null || expiresAtMs > wallMs) return null;
  return fieldProblem('expires_at', 'in_future');
}

export function scopesOf({ scopes }: Pick<KeyRow, 'scopes'>): readonly Scope[] {
  return scopes.split(' ') as Scope[];
}

export function statusOf(
  { revoked_at, expires_at }: Pick<KeyRow, 'revoked_at' | 'expires_at'>,
  wallMs: number,
): ApiKey['status'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= wallMs ? 'expired' : 'active';
}
