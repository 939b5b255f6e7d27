import type { Moment } from '../../clock.ts';
import { toTimestamp } from '../../timestamp.ts';
import type { Change } from '../call-metadata.ts';
import { CALLS, isRefusal } from '../calls.ts';
import type { Call } from '../carriers/reply.ts';
import type { AuditEntry } from '../people-calls.ts';
import { badCursor } from '../refusals.ts';
import type { Db, Handlers } from '../sqlite/transaction.ts';

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
export function auditor(db: Db): (call: Call, answer: unknown, now: Moment) => void {
  const insert = db.prepare<Omit<AuditRow, 'id'>>(`
    INSERT INTO audit (at, actor_kind, actor, address, action, workspace, object)
    VALUES (:at, :actor_kind, :actor, :address, :action, :workspace, :object)
  `);
  const slugOfKey = db
    .prepare<[string], string>(
      'SELECT workspace.slug FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = ?',
    )
    .pluck();
  const slugOf = (workspace: Change['workspace']) =>
    typeof workspace === 'object' && workspace !== null ? (slugOfKey.get(workspace.ofKey) ?? null) : workspace;

  return ({ name, args, actor }, answer, { wallMs }) => {
    if (actor === undefined || actor.kind === 'key' || isRefusal(answer)) return;
    const describe = CALLS[name].audit as Describe | null | undefined;
    const change = describe?.(args, answer) ?? null;
    if (change === null) return;
    const { kind, name: who, address } = actor;
    insert.run({ at: wallMs, actor_kind: kind, actor: who, address, ...change, workspace: slugOf(change.workspace) });
  };
}

export function audit(db: Db): Handlers<'listAudit' | 'recordBackup'> {
  const all = db.prepare<{ beforeId: number; limit: number }, AuditRow>(
    'SELECT * FROM audit WHERE id < :beforeId ORDER BY id DESC LIMIT :limit',
  );
  const ofWorkspace = db.prepare<{ workspace: string; beforeId: number; limit: number }, AuditRow>(
    'SELECT * FROM audit WHERE holder = :workspace AND id < :beforeId ORDER BY id DESC LIMIT :limit',
  );

  return {
    recordBackup: () => null,

    listAudit({ workspace, limit, before = String(Number.MAX_SAFE_INTEGER) }) {
      const beforeId = Number(before);
      if (!Number.isSafeInteger(beforeId)) return badCursor('before');
      const range = { beforeId, limit: limit + 1 };
      const rows = workspace === undefined ? all.all(range) : ofWorkspace.all({ ...range, workspace });
      const page = rows.slice(0, limit);
      return { entries: page.map(shown), next: rows.length > limit ? String(page.at(-1)?.id) : null };
    },
  };
}

function shown({ at, actor_kind: kind, actor: name, address, action, workspace, object }: AuditRow): AuditEntry {
  return { at: toTimestamp(at), actor: { kind, name, address }, action, workspace, object };
}
