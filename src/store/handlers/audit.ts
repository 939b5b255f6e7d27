import type { Moment } from '../../process/clock.ts';
import { toTimestamp } from '../../values/timestamp.ts';
import type { Change } from '../call.ts';
import { type Actor, type AuditEntry, type AuditFilter, CALLS, isRefusal } from '../calls.ts';
import { badCursor } from '../refusals.ts';
import type { CallRequest } from '../reply.ts';
import type { Awaitable, Sql } from '../sql.ts';
import type { SomeHandlers } from './handler.ts';

interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor_kind: 'operator' | 'user' | 'key';
  readonly actor: string;
  readonly address: string | null;
  readonly action: string;
  readonly workspace: string | null;
  readonly object: string;
}

type Describe = (args: unknown, done: unknown) => Change | null;

type RecordEntry = (change: Change, by: Actor | undefined, at: number) => Promise<void>;

/** Returns what writes an entry; of the server itself, none. */
export function auditEntries(sql: Sql): RecordEntry {
  const insert = sql.run<Omit<AuditRow, 'id'>>(`
    INSERT INTO audit (at, actor_kind, actor, address, action, workspace, object)
    VALUES (:at, :actor_kind, :actor, :address, :action, :workspace, :object)
  `);
  const slugOfKey = sql.value<{ ofKey: string }, string>(
    'SELECT workspace.slug FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = :ofKey',
  );

  const nameOfKey = sql.value<{ id: string }, string>('SELECT name FROM api_key WHERE id = :id');
  const slugOfId = sql.value<{ id: number }, string>('SELECT slug FROM workspace WHERE id = :id');

  async function slugOf(of: Change['workspace']): Promise<string | null> {
    if (of === null || typeof of === 'string') return of;
    return (await ('id' in of ? slugOfId(of) : slugOfKey(of))) ?? null;
  }

  async function named(actor: Actor): Promise<Pick<AuditRow, 'actor' | 'address'>> {
    if (actor.kind !== 'key') return { actor: actor.name, address: actor.address };
    const { id } = actor;
    return { actor: `${await nameOfKey({ id })} (${id})`, address: null };
  }

  return async (change, by, at) => {
    if (by === undefined) return;
    const { action, object } = change;
    const workspace = await slugOf(change.workspace);
    await insert({ at, actor_kind: by.kind, ...(await named(by)), action, workspace, object });
  };
}

/** Audits an actor's change in the same transaction. Refused calls leave no entry. */
export function auditor(sql: Sql): (call: CallRequest, answer: unknown, now: Moment) => Awaitable<void> {
  const write = auditEntries(sql);

  return ({ name, args, actor }, answer, { wallMs }) => {
    if (actor === undefined || isRefusal(answer)) return;
    const { audit: describe, auditsKeys } = CALLS[name] as { audit?: Describe | null; auditsKeys?: true };
    if (actor.kind === 'key' && !auditsKeys) return;
    const change = describe?.(args, answer) ?? null;
    return change === null ? undefined : write(change, actor, wallMs);
  };
}

/** Entries examined per page. */
const MOST_LOOKED_AT = 5_000;

export function audit(sql: Sql) {
  const readEntries = sql.parts<{ beforeId: number }, AuditRow>(
    'SELECT * FROM audit WHERE id < CAST(:beforeId AS BIGINT) ORDER BY id DESC',
  );
  const ofWorkspace = sql.parts<{ workspace: string; beforeId: number }, AuditRow>(`
    SELECT * FROM audit WHERE (holder, id) >= (CAST(:workspace AS TEXT), 0) AND (holder, id) < (CAST(:workspace AS TEXT), CAST(:beforeId AS BIGINT))
    ORDER BY holder DESC, id DESC
  `);

  return {
    recordBackup: async () => null,

    async listAudit({ workspace, limit, before = String(Number.MAX_SAFE_INTEGER), sinceMs = 0, ...filter }) {
      const beforeId = Number(before);
      if (!Number.isSafeInteger(beforeId)) return badCursor('before');
      const entries: AuditEntry[] = [];
      let looked = 0;
      let last = 0;
      for await (const rows of workspace === undefined
        ? readEntries({ beforeId })
        : ofWorkspace({ workspace, beforeId })) {
        for (const row of rows) {
          if (row.at < sinceMs) return { entries, next: null };
          if (entries.length === limit || looked === MOST_LOOKED_AT) return { entries, next: String(last) };
          if (isWanted(row, filter)) entries.push(showEntry(row));
          last = row.id;
          looked += 1;
        }
      }
      return { entries, next: null };
    },
  } satisfies SomeHandlers;
}

function isWanted({ action, actor }: AuditRow, wanted: Pick<AuditFilter, 'actor' | 'action'>): boolean {
  return (
    (wanted.actor === undefined || actor === wanted.actor) &&
    (wanted.action === undefined || action === wanted.action || action.startsWith(`${wanted.action}.`))
  );
}

function showEntry({ at, actor_kind: kind, actor: name, address, action, workspace, object }: AuditRow): AuditEntry {
  return { at: toTimestamp(at), actor: { kind, name, address }, action, workspace, object };
}
