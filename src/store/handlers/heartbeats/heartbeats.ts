import { randomUUID } from 'node:crypto';
import { changedSchedule, SCHEDULE_BY_DEFAULT, type Schedule } from '../../../contract/heartbeats.ts';
import { displayName, displayNameProblem, fieldProblem, heartbeatSlugProblem } from '../../../contract/names.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Actor, type Heartbeat, isRefusal, type Reach, type Refusal } from '../../calls.ts';
import { heartbeatExists, invalidField, noHeartbeat, wrongField } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { sessionOf, vouchers } from '../people/vouchers.ts';
import { quotas } from '../quotas.ts';
import { rescheduled } from './deadlines.ts';
import { leftAlerts } from './left-alerts.ts';
import { passingTime } from './passing-time.ts';
import { HEARTBEAT, type HeartbeatRow, MOVE_ON, showAddressed, showHeartbeat } from './rows.ts';

const INSERT = `
  INSERT INTO heartbeat (workspace_id, channel_id, slug, name, uuid, every, cron, timezone, grace, created_at)
  VALUES (:workspaceId, :channelId, :slug, :name, :uuid, :every, :cron, :timezone, :grace, :wallMs)
  ON CONFLICT (workspace_id, slug) DO NOTHING`;

const CHANGE = `
  UPDATE heartbeat
  SET name = :name, channel_id = :channelId, every = :every, cron = :cron, timezone = :timezone, grace = :grace
  WHERE id = :id`;

const REACHED = `
  ${HEARTBEAT} WHERE heartbeat.workspace_id = :workspaceId AND (
    CAST(:boundKeyId AS TEXT) IS NULL OR channel_id IN (SELECT channel_id FROM key_channel WHERE key_id = :boundKeyId)
  ) ORDER BY heartbeat.slug`;

/** A heartbeat is found by its slug, within a workspace. */
interface Named {
  readonly workspace: string;
  readonly slug: string;
}

export function heartbeats(sql: Sql, settings: StoreSettings, deps: Pick<EngineDeps, 'postOwn'>) {
  const insert = sql.run<Pick<HeartbeatRow, InsertedField> & { wallMs: number }>(INSERT);
  const bySlug = sql.get<{ workspaceId: number; slug: string }, HeartbeatRow>(
    `${HEARTBEAT} WHERE heartbeat.workspace_id = :workspaceId AND heartbeat.slug = :slug`,
  );
  const ofWorkspace = sql.all<{ workspaceId: number }, HeartbeatRow>(
    `${HEARTBEAT} WHERE heartbeat.workspace_id = :workspaceId ORDER BY heartbeat.slug`,
  );
  const reached = sql.all<Reach, HeartbeatRow>(REACHED);
  const change = sql.run<HeartbeatRow>(CHANGE);
  const moveOn = sql.run<HeartbeatRow>(MOVE_ON);
  const remove = sql.run<{ id: number }>('DELETE FROM heartbeat WHERE id = :id');
  const quota = quotas(sql, settings);
  const find = lookups(sql);
  const { roleOf } = vouchers(sql);
  const passTime = passingTime(sql);
  const resolveLeft = leftAlerts(sql, deps);

  async function workspaceOf(slug: string, userId: number | undefined, actor: Actor | undefined) {
    return userId === undefined ? find.workspace(slug) : find.workspaceOf(userId, slug, actor);
  }

  /** How the caller sees a heartbeat of a workspace: a plain member sees no address. */
  async function viewIn({ id }: WorkspaceRow, userId: number | undefined, actor: Actor | undefined) {
    const role = userId === undefined ? 'owner' : await roleOf(sessionOf(actor), id);
    return role === 'owner' || role === 'admin' ? showAddressed : showHeartbeat;
  }

  async function findInWorkspace(workspace: WorkspaceRow, slug: string): Promise<HeartbeatRow | Refusal> {
    return (await bySlug({ workspaceId: workspace.id, slug })) ?? noHeartbeat(slug, workspace);
  }

  /** Changes what is waited for. */
  async function moveDeadline(
    { workspace: workspaceSlug, slug }: Named,
    now: Moment,
    to: (row: HeartbeatRow) => HeartbeatRow,
  ): Promise<Heartbeat | Refusal> {
    const workspace = await find.workspace(workspaceSlug);
    if (isRefusal(workspace)) return workspace;
    await passTime(now);
    const row = await findInWorkspace(workspace, slug);
    if (isRefusal(row)) return row;
    const after = to(row);
    if (after !== row) await moveOn(after);
    return showAddressed(after, now);
  }

  return {
    createHeartbeat: find.withWorkspace(async (workspace, { slug, channel: channelSlug, ...asked }, now) => {
      const name = displayName(asked.name ?? slug);
      const problem =
        fieldProblem('slug', heartbeatSlugProblem(slug)) ?? fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      const schedule = changedSchedule(SCHEDULE_BY_DEFAULT, asked);
      if ('field' in schedule) return invalidField(schedule);
      const channel = await find.channel(workspace, channelSlug);
      if (isRefusal(channel)) return wrongField('channel', channel);
      const full = await quota.heartbeat(workspace);
      if (full !== null) return full;
      const { id: workspaceId } = workspace;
      const fresh = { workspaceId, channelId: channel.id, slug, name, uuid: randomUUID(), ...schedule };
      if ((await insert({ ...fresh, wallMs: now.wallMs })) === 0) return heartbeatExists(slug, workspace.slug);
      const row = await findInWorkspace(workspace, slug);
      return isRefusal(row) ? row : showAddressed(row, now);
    }),

    async listHeartbeats({ workspace: slug, userId }, now, actor) {
      const workspace = await workspaceOf(slug, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const show = await viewIn(workspace, userId, actor);
      return (await ofWorkspace({ workspaceId: workspace.id })).map((row) => show(row, now));
    },

    async showHeartbeat({ workspace: workspaceSlug, slug, userId }, now, actor) {
      const workspace = await workspaceOf(workspaceSlug, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const row = await findInWorkspace(workspace, slug);
      return isRefusal(row) ? row : (await viewIn(workspace, userId, actor))(row, now);
    },

    updateHeartbeat: find.withWorkspace(async (workspace, { slug, ...asked }, now) => {
      const row = await findInWorkspace(workspace, slug);
      if (isRefusal(row)) return row;
      const name = displayName(asked.name ?? row.name);
      const problem = fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      const schedule = changedSchedule(row, asked);
      if ('field' in schedule) return invalidField(schedule);
      const channel = await find.channel(workspace, asked.channel ?? row.channel);
      if (isRefusal(channel)) return wrongField('channel', channel);
      if (channel.id !== row.channelId) await resolveLeft(row, now);
      await change({ ...row, ...schedule, name, channelId: channel.id });
      return moveDeadline({ workspace: workspace.slug, slug }, now, (changed) => rescheduled(changed, row, now));
    }),

    pauseHeartbeat: (named, now) =>
      moveDeadline(named, now, (row) => ({
        ...row,
        state: 'paused',
        startedAt: null,
        rid: null,
        dueAt: null,
        downAt: null,
        reportAt: null,
      })),

    resumeHeartbeat: (named, now) =>
      moveDeadline(named, now, (row) => (row.state === 'paused' ? { ...row, state: 'new' } : row)),

    deleteHeartbeat: find.withWorkspace(async (workspace, { slug }, now) => {
      const row = await findInWorkspace(workspace, slug);
      if (isRefusal(row)) return row;
      await resolveLeft(row, now);
      await remove(row);
      return showAddressed(row, now);
    }),

    async listReachedHeartbeats({ workspaceId, boundKeyId }, now) {
      return (await reached({ workspaceId, boundKeyId })).map((row) => showHeartbeat(row, now));
    },
  } satisfies SomeHandlers;
}

type InsertedField = 'workspaceId' | 'channelId' | 'slug' | 'name' | 'uuid' | keyof Schedule;
