import { type FieldProblem, fieldProblem } from '../../../contract/details.ts';
import { channelsProblem, displayName, displayNameProblem } from '../../../contract/names.ts';
import type { Scope } from '../../../push.ts';
import { type ApiKey, isRefusal, type KeyRecord } from '../../calls.ts';
import { alreadyRotated, badCursor, conflict, deadKey, invalidField, noKey, wrongField } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { isLike, pageOf, searchPattern } from '../pages.ts';
import { monthlyUse, quotas } from '../quotas.ts';
import { withUsage } from '../workspaces.ts';
import { keyBindings } from './bindings.ts';
import { expiryMs, expiryProblem, type KeyRow, keyTable, scopesOf, statusOf } from './rows.ts';

interface KeyPlace {
  readonly workspaceId: number;
  readonly createdAtMs: number;
  readonly id: string;
}

interface NamedPlace {
  readonly name: string;
  readonly id: string;
}

/** SQL: a key's status, as in `statusOf`. */
const STATUS = `CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
  WHEN expires_at <= CAST(:wallMs AS BIGINT) THEN 'expired' ELSE 'active' END`;

const DEFAULT_NAME = 'API key';

export function keys(sql: Sql, settings: StoreSettings) {
  const touch = sql.run<{ id: string; wallMs: number }>(
    'UPDATE api_key SET last_used_at = :wallMs WHERE id = :id AND coalesce(last_used_at, 0) < :wallMs',
  );
  const ofWorkspace = sql.all<{ workspaceId: number }, KeyRow>(
    'SELECT * FROM api_key WHERE workspace_id = :workspaceId ORDER BY created_at, id',
  );
  const found = sql.parts<
    { workspaceId: number; wallMs: number; status: string | null; pattern: string | null } & NamedPlace,
    KeyRow
  >(`
    SELECT * FROM api_key
    WHERE workspace_id = CAST(:workspaceId AS BIGINT)
      AND (lower(name), id) > (lower(CAST(:name AS TEXT)), CAST(:id AS TEXT))
      AND ${ifGiven('status', `${STATUS} = :status`)} AND ${isLike('name', 'id')}
    ORDER BY lower(name), id
  `);
  const page = sql.parts<KeyPlace, KeyRow & { workspace: string }>(`
    SELECT api_key.*, workspace.slug AS workspace FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id
    WHERE (api_key.workspace_id, api_key.created_at, api_key.id) > (:workspaceId, :createdAtMs, :id)
    ORDER BY api_key.workspace_id, api_key.created_at, api_key.id
  `);
  const table = keyTable(sql);
  const bindings = keyBindings(sql);
  const quota = quotas(sql, settings);
  const find = lookups(sql);
  const readUse = monthlyUse(sql);

  return {
    async findKey({ id }) {
      const key = await table.byId(id);
      if (key === undefined) return null;
      const workspace = await find.workspaceById(key.workspace_id);
      if (workspace === undefined) return null;
      const [channel, another] = key.bound === 1 ? await bindings.slugsOf(id) : [];
      return {
        id,
        origin: key.origin,
        onlyChannel: channel !== undefined && another === undefined ? channel : null,
        workspaceId: workspace.id,
        boundKeyId: key.bound === 1 ? id : null,
        workspaceStatus: workspace.status,
        secretHash: key.secret_hash.toString('hex'),
        scopes: scopesOf(key),
        burstPerMinute: key.burst_per_minute,
        defaults: defaultsOf(key),
        expiresAtMs: key.expires_at,
        revokedAtMs: key.revoked_at,
      };
    },

    async touchKey({ id }, { wallMs }) {
      await touch({ id, wallMs });
      return null;
    },

    async describeConnection({ keyId }, { wallMs }) {
      const key = await table.byId(keyId);
      const workspace = key && (await find.workspaceById(key.workspace_id));
      if (key === undefined || workspace === undefined) return null;
      const { id, name, scopes, channels, created_at, expires_at, last_used_at } = await table.shown(key, wallMs);
      return {
        workspace: await withUsage(workspace, readUse, wallMs),
        key: { id, name, scopes, channels, created_at, expires_at, last_used_at },
      };
    },

    issueKey: find.withWorkspace(async (workspace, asked, { wallMs }) => {
      const { id, secretHash, name = DEFAULT_NAME, scopes, channels, expires, burstPerMinute } = asked;
      const { level = null, deliveryUrgency: urgency = null } = asked;
      const expiresAtMs = expires === undefined ? null : expiryMs(expires, wallMs);
      const problem =
        displayNameProblem(name) ??
        termsProblem(scopes, channels, burstPerMinute) ??
        expiryProblem(expiresAtMs, wallMs);
      if (problem !== null) return invalidField(problem);
      const channelIds = await find.channelIds(workspace, channels ?? []);
      if (isRefusal(channelIds)) return wrongField('channels', channelIds);
      const full = await quota.key(workspace, wallMs);
      if (full !== null) return full;
      const row = await table.insert({
        id,
        workspace_id: workspace.id,
        origin: id,
        name: displayName(name),
        secret_hash: Buffer.from(secretHash, 'hex'),
        scopes: [...new Set(scopes)].join(' '),
        bound: channels === undefined ? 0 : 1,
        burst_per_minute: burstPerMinute ?? null,
        level,
        urgency,
        created_at: wallMs,
        expires_at: expiresAtMs,
      });
      if (row === undefined) return conflict('key_exists', { key: id });
      await bindings.bind(id, [...new Set(channelIds)]);
      return table.shown(row, wallMs);
    }),

    listKeys: find.withWorkspace(async (workspace, _, { wallMs }) => {
      const shown: ApiKey[] = [];
      for (const key of await ofWorkspace({ workspaceId: workspace.id })) shown.push(await table.shown(key, wallMs));
      return shown;
    }),

    findKeys: find.withWorkspace(async (workspace, { q, status = null, after, limit }, { wallMs }) => {
      const last = after === undefined ? undefined : await table.byId(after);
      if (after !== undefined && last?.workspace_id !== workspace.id) return badCursor('after');
      const place = { name: last?.name ?? '', id: last?.id ?? '' };
      const rows = found({ workspaceId: workspace.id, wallMs, status, pattern: searchPattern(q), ...place });
      const shown = (key: KeyRow) => table.shown(key, wallMs);
      const { entries, hasMore } = await pageOf(rows, shown, ({ channels }) => channels?.length ?? 0, limit);
      return { api_keys: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    }),

    async listAllKeys({ limit, after }, { wallMs }) {
      const last = after === undefined ? undefined : await table.byId(after);
      if (after !== undefined && last === undefined) return badCursor('after');
      const place = { workspaceId: last?.workspace_id ?? 0, createdAtMs: last?.created_at ?? 0, id: last?.id ?? '' };
      const shown = async (row: KeyRow & { workspace: string }) => ({
        ...(await table.shown(row, wallMs)),
        workspace: row.workspace,
      });
      const { entries, hasMore } = await pageOf(page(place), shown, ({ channels }) => channels?.length ?? 0, limit);
      return { keys: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    },

    async revokeKey({ id, workspace }, { wallMs }) {
      const key = await find.key(id, workspace);
      if (isRefusal(key)) return key;
      return table.shown((await table.revoke(id, wallMs)) ?? key, wallMs);
    },
  } satisfies SomeHandlers;
}

function defaultsOf({ level, urgency }: KeyRow): KeyRecord['defaults'] {
  if (level === null && urgency === null) return null;
  return { ...(level !== null && { level }), ...(urgency !== null && { delivery_urgency: urgency }) };
}

function termsProblem(
  scopes: readonly Scope[],
  channels: readonly string[] | undefined,
  burstPerMinute: number | undefined,
): FieldProblem | null {
  if (scopes.length === 0) return fieldProblem('scopes', 'no_entry');
  const tooMany = channelsProblem('channels', channels ?? []);
  if (tooMany !== null) return tooMany;
  if (channels?.length === 0) return fieldProblem('channels', 'no_entry');
  if (scopes.includes('heartbeats:ping') && (new Set(scopes).size > 1 || channels?.length !== 1)) {
    return fieldProblem(new Set(scopes).size > 1 ? 'scopes' : 'channels', 'ping_key');
  }
  if (burstPerMinute !== undefined && !(Number.isSafeInteger(burstPerMinute) && burstPerMinute > 0)) {
    return fieldProblem('burst_per_minute', 'whole_number_from', { least: 1 });
  }
  return null;
}

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
