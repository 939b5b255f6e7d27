import { changedRota, newRota } from '../../../contract/on-call/rota.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Actor } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { auditEntries } from '../audit.ts';
import { rotaChanging } from './changing.ts';
import { columnsOf, membersOf, type RotaRow, rotaOf } from './rows.ts';
import { rotaTimelines } from './timelines.ts';

const SAVE = `
  UPDATE rota SET members = :members, since = :since, anchor = :anchor, first = :first WHERE id = :id`;

interface Leaving {
  readonly workspaceId: number;
  readonly userId: number;
  readonly email: string;
}

/** Takes a person out of the workspace's rotas as they leave it. `remove` ends their membership. */
export function rotaLeaving(sql: Sql) {
  const save = sql.run<object>(SAVE);
  const timelines = rotaTimelines(sql);
  const changing = rotaChanging(sql);
  const record = auditEntries(sql);

  return async function leaveRotas<T>(
    { workspaceId, userId, email }: Leaving,
    now: Moment,
    actor: Actor | undefined,
    remove: () => T | Promise<T>,
  ): Promise<T> {
    const rotas = await timelines.ofWorkspace(workspaceId);
    const listing = rotas.filter(({ row }) => membersOf(row).includes(userId)).map(({ row }) => row);
    const named = rotas.filter(({ overrides }) => overrides.some((override) => override.userId === userId));
    const rows = new Set([...listing, ...named.map(({ row }) => row)]);
    let removed: { readonly answer: T } | undefined;
    await changing(
      [...rows],
      now,
      async () => {
        removed = { answer: await remove() };
        for (const row of listing) {
          await save({ ...without(row, userId, now), id: row.id });
          const left = { action: 'rota.leave', workspace: { id: workspaceId }, object: `${row.slug}: ${email}` };
          await record(left, actor, now.wallMs);
        }
      },
      { actor, left: userId },
    );
    if (removed === undefined) throw new Error('the membership ended');
    return removed.answer;
  };
}

function without(row: RotaRow, userId: number, { wallMs }: Moment) {
  const rota = rotaOf(row);
  const members = rota.members.filter((member) => member !== userId);
  return columnsOf(wallMs < rota.sinceMs ? newRota({ ...rota, members }) : changedRota(rota, { members }, wallMs));
}
