import type { Moment } from '../../clock.ts';
import { toTimestamp } from '../../timestamp.ts';
import type { Change } from '../call.ts';
import { CALLS, isRefusal, type OperatorActor, type UserActor } from '../calls.ts';
import type { CallRequest } from '../carriers/reply.ts';
import type { AuditEntry } from '../people-calls.ts';
import { badCursor } from '../refusals.ts';
import type { Awaitable, Sql } from '../sql.ts';
import type { Verbs } from './verb.ts';

interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor_kind: 'operator' | 'user';
  readonly actor: string;
  readonly address: string | null;
  readonly action: string;
  readonly workspace: string | null;
  readonly object: string;
}

/** Of any call. */
type Describe = (args: unknown, done: unknown) => Change | null;

/**
 * Writes an entry for a change that was made in somebody's name, in the same transaction. What was refused changed
 * nothing, and leaves no entry.
 */
export function auditor(sql: Sql): (call: CallRequest, answer: unknown, now: Moment) => Awaitable<void> {
  const insert = sql.run<Omit<AuditRow, 'id'>>(`
    INSERT INTO audit (at, actor_kind, actor, address, action, workspace, object)
    VALUES (:at, :actor_kind, :actor, :address, :action, :workspace, :object)
  `);
  const slugOfKey = sql.value<{ ofKey: string }, string>(
    'SELECT workspace.slug FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = :ofKey',
  );

  async function write(change: Change, { kind, name: actor, address }: OperatorActor | UserActor, at: number) {
    const { action, object, workspace: of } = change;
    const workspace = of === null || typeof of === 'string' ? of : ((await slugOfKey(of)) ?? null);
    await insert({ at, actor_kind: kind, actor, address, action, workspace, object });
  }

  return ({ name, args, actor }, answer, { wallMs }) => {
    if (actor === undefined || actor.kind === 'key' || isRefusal(answer)) return;
    const describe = CALLS[name].audit as Describe | null | undefined;
    const change = describe?.(args, answer) ?? null;
    return change === null ? undefined : write(change, actor, wallMs);
  };
}

export function audit(sql: Sql): Verbs<'listAudit' | 'recordBackup'> {
  const all = sql.all<{ beforeId: number; limit: number }, AuditRow>(
    'SELECT * FROM audit WHERE id < :beforeId ORDER BY id DESC LIMIT :limit',
  );
  const ofWorkspace = sql.all<{ workspace: string; beforeId: number; limit: number }, AuditRow>(
    'SELECT * FROM audit WHERE holder = :workspace AND id < :beforeId ORDER BY id DESC LIMIT :limit',
  );

  return {
    recordBackup: async () => null,

    async listAudit({ workspace, limit, before = String(Number.MAX_SAFE_INTEGER) }) {
      const beforeId = Number(before);
      if (!Number.isSafeInteger(beforeId)) return badCursor('before');
      const range = { beforeId, limit: limit + 1 };
      const rows = await (workspace === undefined ? all(range) : ofWorkspace({ ...range, workspace }));
      const page = rows.slice(0, limit);
      return { entries: page.map(shown), next: rows.length > limit ? String(page.at(-1)?.id) : null };
    },
  };
}

function shown({ at, actor_kind: kind, actor: name, address, action, workspace, object }: AuditRow): AuditEntry {
  return { at: toTimestamp(at), actor: { kind, name, address }, action, workspace, object };
}
