import type { Moment } from '../../../process/clock.ts';
import { type Actor, type AddressedHeartbeat, isRefusal, type Refusal } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { sessionOf, vouchers } from '../people/vouchers.ts';
import { heartbeatDefinitions } from './definitions.ts';
import { leftAlerts } from './left-alerts.ts';
import { heartbeatPages } from './pages.ts';
import { HEARTBEAT, type HeartbeatRow, showAddressed, showHeartbeat } from './rows.ts';

/** Found by slug in a workspace. */
interface Named {
  readonly workspace: string;
  readonly slug: string;
}

export function heartbeats(sql: Sql, settings: StoreSettings, deps: Pick<EngineDeps, 'postOwn'>) {
  const ofWorkspace = sql.all<{ workspaceId: number }, HeartbeatRow>(
    `${HEARTBEAT} WHERE heartbeat.workspace_id = :workspaceId ORDER BY heartbeat.slug`,
  );
  const readPage = heartbeatPages(sql);
  const remove = sql.run<{ id: number }>('DELETE FROM heartbeat WHERE id = :id');
  const find = lookups(sql);
  const { roleOf } = vouchers(sql);
  const define = heartbeatDefinitions(sql, settings, deps);
  const resolveLeft = leftAlerts(sql, deps);

  async function workspaceOf(slug: string, userId: number | undefined, actor: Actor | undefined) {
    return userId === undefined ? find.workspace(slug) : find.workspaceOf(userId, slug, actor);
  }

  /** Shows a heartbeat to the caller: plain members see no address. */
  async function viewIn({ id }: WorkspaceRow, userId: number | undefined, actor: Actor | undefined) {
    const role = userId === undefined ? 'owner' : await roleOf(sessionOf(actor), id);
    return role === 'owner' || role === 'admin' ? showAddressed : showHeartbeat;
  }

  const pausing = (to: (row: HeartbeatRow) => HeartbeatRow) =>
    find.withWorkspace<Named, AddressedHeartbeat | Refusal>(async (workspace, { slug }, now) =>
      addressed(await define.moveDeadline(workspace, slug, now, to), now),
    );

  return {
    createHeartbeat: find.withWorkspace(async (workspace, asked, now) =>
      addressed(await define.add(workspace, asked, null, now), now),
    ),

    async listHeartbeats({ workspace: slug, userId }, now, actor) {
      const workspace = await workspaceOf(slug, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const show = await viewIn(workspace, userId, actor);
      return (await ofWorkspace({ workspaceId: workspace.id })).map((row) => show(row, now));
    },

    async findHeartbeats({ workspace: slug, userId, ...filter }, now, actor) {
      const workspace = await workspaceOf(slug, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const show = await viewIn(workspace, userId, actor);
      return readPage({ ...filter, workspaceId: workspace.id, boundKeyId: null }, now, show);
    },

    async showHeartbeat({ workspace: workspaceSlug, slug, userId }, now, actor) {
      const workspace = await workspaceOf(workspaceSlug, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const row = await define.find(workspace, slug);
      return isRefusal(row) ? row : (await viewIn(workspace, userId, actor))(row, now);
    },

    updateHeartbeat: find.withWorkspace(async (workspace, { slug, ...asked }, now) => {
      const row = await define.find(workspace, slug);
      return isRefusal(row) ? row : addressed(await define.change(workspace, row, asked, now), now);
    }),

    pauseHeartbeat: pausing((row) => {
      const nothing = { startedAt: null, rid: null, dueAt: null, downAt: null, reportAt: null };
      return { ...row, ...nothing, state: 'paused' };
    }),

    resumeHeartbeat: pausing((row) => (row.state === 'paused' ? { ...row, state: 'new' } : row)),

    deleteHeartbeat: find.withWorkspace(async (workspace, { slug }, now) => {
      const row = await define.find(workspace, slug);
      if (isRefusal(row)) return row;
      await resolveLeft(row, now);
      await remove(row);
      return showAddressed(row, now);
    }),
  } satisfies SomeHandlers;
}

function addressed(row: HeartbeatRow | Refusal, now: Moment): AddressedHeartbeat | Refusal {
  return isRefusal(row) ? row : showAddressed(row, now);
}
