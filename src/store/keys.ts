import { displayNameProblem, type FieldProblem, fieldProblem } from '../contract/names.ts';
import type { Scope } from '../push.ts';
import { toTimestamp, toTimestampOrNull } from '../timestamp.ts';
import { type ApiKey, isRefusal, type Refusal } from './calls.ts';
import type { Db, Handlers } from './handlers.ts';
import { lookups, type WorkspaceRow } from './lookups.ts';
import { deadKey, invalidField, keyExists, noKey } from './refusals.ts';
import { usageBook } from './usage.ts';
import { withUsage } from './workspaces.ts';

interface KeyRow {
  readonly id: string;
  readonly workspace_id: number;
  readonly name: string;
  readonly secret_hash: Buffer;
  /** Separated by blanks. */
  readonly scopes: string;
  readonly burst_per_minute: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}
type NewKeyRow = Omit<KeyRow, 'revoked_at' | 'last_used_at'>;

type WorkspaceOfKey = Pick<WorkspaceRow, 'id' | 'slug' | 'name' | 'status' | 'plan'>;

const DEFAULT_NAME = 'API key';

export function keys(
  db: Db,
): Handlers<'findKey' | 'touchKey' | 'describeConnection' | 'issueKey' | 'listKeys' | 'revokeKey' | 'rotateKey'> {
  const byId = db.prepare<[string], KeyRow>('SELECT * FROM api_key WHERE id = ?');
  const workspaceById = db.prepare<[number], WorkspaceOfKey>(
    'SELECT id, slug, name, status, plan FROM workspace WHERE id = ?',
  );
  const touch = db.prepare<{ id: string; wallMs: number }>(
    'UPDATE api_key SET last_used_at = max(coalesce(last_used_at, 0), :wallMs) WHERE id = :id',
  );
  const insert = db.prepare<NewKeyRow, KeyRow>(`
    INSERT INTO api_key (id, workspace_id, name, secret_hash, scopes, burst_per_minute, created_at, expires_at)
    VALUES (:id, :workspace_id, :name, :secret_hash, :scopes, :burst_per_minute, :created_at, :expires_at)
    ON CONFLICT DO NOTHING RETURNING *
  `);
  const ofWorkspace = db.prepare<[number], KeyRow>(
    'SELECT * FROM api_key WHERE workspace_id = ? ORDER BY created_at, id',
  );
  const revoke = db.prepare<{ id: string; wallMs: number }, KeyRow>(
    'UPDATE api_key SET revoked_at = coalesce(revoked_at, :wallMs) WHERE id = :id RETURNING *',
  );
  const expireBy = db.prepare<{ id: string; atMs: number }>(
    'UPDATE api_key SET expires_at = min(coalesce(expires_at, :atMs), :atMs) WHERE id = :id',
  );
  const find = lookups(db);
  const book = usageBook(db);

  /** With a workspace's slug, the keys of all others are not there. */
  function keyOf(id: string, slug: string | undefined): KeyRow | Refusal {
    const key = byId.get(id);
    if (key === undefined || (slug !== undefined && workspaceOf(key).slug !== slug)) return noKey(id);
    return key;
  }

  function workspaceOf(key: KeyRow): WorkspaceOfKey {
    const workspace = workspaceById.get(key.workspace_id);
    if (workspace === undefined) throw new Error('a foreign key keeps the workspace of every key');
    return workspace;
  }

  return {
    findKey({ id }) {
      const key = byId.get(id);
      if (key === undefined) return null;
      const workspace = workspaceOf(key);
      return {
        id,
        workspaceId: workspace.id,
        workspaceStatus: workspace.status,
        secretHash: key.secret_hash.toString('hex'),
        scopes: scopesOf(key),
        burstPerMinute: key.burst_per_minute,
        expiresAtMs: key.expires_at,
        revokedAtMs: key.revoked_at,
      };
    },

    touchKey({ id, wallMs }) {
      touch.run({ id, wallMs });
      return null;
    },

    describeConnection({ keyId, wallMs }) {
      const key = byId.get(keyId);
      if (key === undefined) return null;
      const { id, name, scopes, created_at, expires_at, last_used_at } = shown(key, wallMs);
      return {
        workspace: withUsage(workspaceOf(key), book, wallMs),
        key: { id, name, scopes, created_at, expires_at, last_used_at },
      };
    },

    issueKey({ workspace: slug, id, secretHash, name = DEFAULT_NAME, scopes, expiresAtMs, burstPerMinute, wallMs }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const problem =
        fieldProblem('name', displayNameProblem(name)) ?? termsProblem(scopes, burstPerMinute, expiresAtMs, wallMs);
      if (problem !== null) return invalidField(problem);
      const row = insert.get({
        id,
        workspace_id: workspace.id,
        name,
        secret_hash: Buffer.from(secretHash, 'hex'),
        scopes: [...new Set(scopes)].join(' '),
        burst_per_minute: burstPerMinute ?? null,
        created_at: wallMs,
        expires_at: expiresAtMs ?? null,
      });
      return row === undefined ? keyExists(id) : shown(row, wallMs);
    },

    listKeys({ workspace: slug, wallMs }) {
      const workspace = find.workspace(slug);
      return isRefusal(workspace) ? workspace : ofWorkspace.all(workspace.id).map((key) => shown(key, wallMs));
    },

    revokeKey({ id, workspace, wallMs }) {
      const key = keyOf(id, workspace);
      if (isRefusal(key)) return key;
      return shown(revoke.get({ id, wallMs }) ?? key, wallMs);
    },

    rotateKey({ id, workspace, newId, secretHash, graceMs, wallMs }) {
      const old = keyOf(id, workspace);
      if (isRefusal(old)) return old;
      const status = statusOf(old, wallMs);
      if (status !== 'active') return deadKey(id, status);
      const row = insert.get({ ...old, id: newId, secret_hash: Buffer.from(secretHash, 'hex'), created_at: wallMs });
      if (row === undefined) return keyExists(newId);
      expireBy.run({ id, atMs: wallMs + graceMs });
      return shown(row, wallMs);
    },
  };
}

function termsProblem(
  scopes: readonly Scope[],
  burstPerMinute: number | undefined,
  expiresAtMs: number | undefined,
  wallMs: number,
): FieldProblem | null {
  if (scopes.length === 0) return fieldProblem('scopes', 'A key needs at least one scope.');
  if (burstPerMinute !== undefined && !(Number.isSafeInteger(burstPerMinute) && burstPerMinute > 0)) {
    const rule = 'it must be a whole number of requests a minute, from 1 on';
    return fieldProblem('burst_per_minute', `${burstPerMinute} is not a burst limit: ${rule}.`);
  }
  if (expiresAtMs !== undefined && expiresAtMs <= wallMs) {
    return fieldProblem('expires_at', 'The expiry must be in the future.');
  }
  return null;
}

function shown(key: KeyRow, wallMs: number): ApiKey {
  return {
    id: key.id,
    name: key.name,
    scopes: scopesOf(key),
    status: statusOf(key, wallMs),
    burst_per_minute: key.burst_per_minute,
    created_at: toTimestamp(key.created_at),
    expires_at: toTimestampOrNull(key.expires_at),
    last_used_at: toTimestampOrNull(key.last_used_at),
  };
}

function scopesOf({ scopes }: KeyRow): readonly Scope[] {
  return scopes.split(' ') as Scope[];
}

function statusOf({ revoked_at, expires_at }: KeyRow, wallMs: number): ApiKey['status'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= wallMs ? 'expired' : 'active';
}
