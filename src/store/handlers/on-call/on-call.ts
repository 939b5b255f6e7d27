import { type Actor, isRefusal, type Refusal } from '../../calls.ts';
import { noRota } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { calendars } from './calendars.ts';
import { rotaOverrides } from './overrides.ts';
import { rotaChanges } from './rotas.ts';
import type { RotaRow } from './rows.ts';
import { rotaTimelines } from './timelines.ts';

/** Changes rotas and overrides for members and operators, and calendars of people. */
export function onCall(sql: Sql) {
  const find = lookups(sql);
  const timelines = rotaTimelines(sql);
  const rotas = rotaChanges(sql);
  const overrides = rotaOverrides(sql);

  /** `userId`: a member; undefined: an operator or a manager. */
  async function findRota(
    { workspace: name, slug, userId }: { workspace: string; slug: string; userId?: number },
    actor: Actor | undefined,
  ): Promise<{ workspace: WorkspaceRow; row: RotaRow } | Refusal> {
    const workspace = userId === undefined ? await find.workspace(name) : await find.workspaceOf(userId, name, actor);
    if (isRefusal(workspace)) return workspace;
    const row = await timelines.find(workspace.id, slug);
    return row === undefined ? noRota(slug, workspace) : { workspace, row };
  }

  return {
    ...calendars(sql),

    createRota: find.withWorkspace((workspace, asked, now, actor) => rotas.add(workspace, asked, now, actor)),

    async updateRota({ workspace, slug, ...asked }, now, actor) {
      const found = await findRota({ workspace, slug }, actor);
      return isRefusal(found) ? found : rotas.change(found.workspace, found.row, asked, now, actor);
    },

    async deleteRota({ workspace, slug, preview = false }, now, actor) {
      const found = await findRota({ workspace, slug }, actor);
      return isRefusal(found) ? found : rotas.remove(found.row, preview, now);
    },

    async addOverride({ workspace, slug, userId, ...asked }, now, actor) {
      const found = await findRota({ workspace, slug, ...(userId !== undefined && { userId }) }, actor);
      return isRefusal(found) ? found : overrides.add(found.workspace, found.row, asked, userId, now, actor);
    },

    async endOverride({ workspace, slug, userId, id }, now, actor) {
      const found = await findRota({ workspace, slug, ...(userId !== undefined && { userId }) }, actor);
      return isRefusal(found) ? found : overrides.end(found.workspace, found.row, id, userId, now, actor);
    },
  } satisfies SomeHandlers;
}
