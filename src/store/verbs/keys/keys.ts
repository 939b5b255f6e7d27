import { displayNameProblem, type FieldProblem, fieldProblem } from '../../../contract/names.ts';
import type { Scope } from '../../../push.ts';
import { isRefusal } from '../../calls.ts';
import { badCursor, invalidField, keyExists, wrongField } from '../../refusals.ts';
import type { Db, Handlers, StoreSettings } from '../../sqlite/transaction.ts';
import { caps } from '../caps.ts';
import { lookups } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { usageCounters } from '../usage.ts';
import { withUsage } from '../workspaces.ts';
import { keyBindings } from './bindings.ts';
import { expiryMs, expiryProblem, type KeyRow, keyTable, scopesOf } from './rows.ts';

interface KeyPlace {
  readonly workspaceId: number;
  readonly createdAtMs: number;
  readonly id: string;
}

const DEFAULT_NAME = 'API key';

export function keys(
  db: Db,
  settings: StoreSettings,
): Handlers<'findKey' | 'touchKey' | 'describeConnection' | 'issueKey' | 'listKeys' | 'listAllKeys' | 'revokeKey'> {
  const touch = db.prepare<{ id: string; wallMs: number }>(
    'UPDATE api_key SET last_used_at = max(coalesce(last_used_at, 0), :wallMs) WHERE id = :id',
  );
  const ofWorkspace = db.prepare<[number], KeyRow>(
    'SELECT * FROM api_key WHERE workspace_id = ? ORDER BY created_at, id',
  );
  const page = db.prepare<KeyPlace, KeyRow & { workspace: string }>(`
    SELECT api_key.*, workspace.slug AS workspace FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id
    WHERE (api_key.workspace_id, api_key.created_at, api_key.id) > (:workspaceId, :createdAtMs, :id)
    ORDER BY api_key.workspace_id, api_key.created_at, api_key.id
  `);
  const table = keyTable(db);
  const bindings = keyBindings(db);
  const cap = caps(db, settings);
  const find = lookups(db);
  const counters = usageCounters(db);

  return {
    findKey({ id }) {
      const key = table.byId(id);
      if (key === undefined) return null;
      const workspace = find.workspaceById(key.workspace_id);
      return {
        id,
        workspaceId: workspace.id,
        boundKeyId: key.bound === 1 ? id : null,
        workspaceStatus: workspace.status,
        secretHash: key.secret_hash.toString('hex'),
        scopes: scopesOf(key),
        burstPerMinute: key.burst_per_minute,
        expiresAtMs: key.expires_at,
        revokedAtMs: key.revoked_at,
      };
    },

    touchKey({ id }, { wallMs }) {
      touch.run({ id, wallMs });
      return null;
    },

    describeConnection({ keyId }, { wallMs }) {
      const key = table.byId(keyId);
      if (key === undefined) return null;
      const { id, name, scopes, channels, created_at, expires_at, last_used_at } = table.shown(key, wallMs);
      return {
        workspace: withUsage(find.workspaceById(key.workspace_id), counters, wallMs),
        key: { id, name, scopes, channels, created_at, expires_at, last_used_at },
      };
    },

    issueKey(
      { workspace: slug, id, secretHash, name = DEFAULT_NAME, scopes, channels, expires, burstPerMinute },
      { wallMs },
    ) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const expiresAtMs = expires === undefined ? null : expiryMs(expires, wallMs);
      const problem =
        fieldProblem('name', displayNameProblem(name)) ??
        termsProblem(scopes, channels, burstPerMinute) ??
        expiryProblem(expiresAtMs, wallMs);
      if (problem !== null) return invalidField(problem);
      const channelIds = find.channelIds(workspace, channels ?? []);
      if (isRefusal(channelIds)) return wrongField('channels', channelIds);
      const full = cap.key(workspace, wallMs);
      if (full !== null) return full;
      const row = table.insert({
        id,
        workspace_id: workspace.id,
        name,
        secret_hash: Buffer.from(secretHash, 'hex'),
        scopes: [...new Set(scopes)].join(' '),
        bound: channels === undefined ? 0 : 1,
        burst_per_minute: burstPerMinute ?? null,
        created_at: wallMs,
        expires_at: expiresAtMs,
      });
      if (row === undefined) return keyExists(id);
      bindings.bind(id, [...new Set(channelIds)]);
      return table.shown(row, wallMs);
    },

    listKeys({ workspace: slug }, { wallMs }) {
      const workspace = find.workspace(slug);
      return isRefusal(workspace) ? workspace : ofWorkspace.all(workspace.id).map((key) => table.shown(key, wallMs));
    },

    listAllKeys({ limit, after }, { wallMs }) {
      const last = after === undefined ? undefined : table.byId(after);
      if (after !== undefined && last === undefined) return badCursor('after');
      const place = { workspaceId: last?.workspace_id ?? 0, createdAtMs: last?.created_at ?? 0, id: last?.id ?? '' };
      const shown = (row: KeyRow & { workspace: string }) => ({
        ...table.shown(row, wallMs),
        workspace: row.workspace,
      });
      const { entries, hasMore } = pageOf(page.iterate(place), shown, ({ channels }) => channels?.length ?? 0, limit);
      return { keys: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    },

    revokeKey({ id, workspace }, { wallMs }) {
      const key = find.key(id, workspace);
      if (isRefusal(key)) return key;
      return table.shown(table.revoke(id, wallMs) ?? key, wallMs);
    },
  };
}

function termsProblem(
  scopes: readonly Scope[],
  channels: readonly string[] | undefined,
  burstPerMinute: number | undefined,
): FieldProblem | null {
  if (scopes.length === 0) return fieldProblem('scopes', 'A key needs at least one scope.');
  if (channels?.length === 0) return fieldProblem('channels', 'A key that is bound to channels needs at least one.');
  if (burstPerMinute !== undefined && !(Number.isSafeInteger(burstPerMinute) && burstPerMinute > 0)) {
    const rule = 'it must be a whole number of requests a minute, from 1 on';
    return fieldProblem('burst_per_minute', `${burstPerMinute} is not a burst limit: ${rule}.`);
  }
  return null;
}
