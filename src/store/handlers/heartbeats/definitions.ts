import { randomUUID } from 'node:crypto';
import { changedSchedule, SCHEDULE_BY_DEFAULT, type Schedule } from '../../../contract/heartbeats.ts';
import { displayName, displayNameProblem, slugProblem } from '../../../contract/names.ts';
import type { Moment } from '../../../process/clock.ts';
import { type HeartbeatChange, isRefusal, type NewHeartbeat, type Refusal } from '../../calls.ts';
import { heartbeatExists, invalidField, noHeartbeat, wrongField } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { quotas } from '../quotas.ts';
import { leftAlerts } from './events.ts';
import { caughtUp, passingTime, rescheduled } from './passing-time.ts';
import { HEARTBEAT, type HeartbeatRow, MOVE_ON } from './rows.ts';

const INSERT = `
  INSERT INTO heartbeat (workspace_id, channel_id, slug, name, uuid, every, cron, timezone, grace, failures, made_by, pinged_by, created_at)
  VALUES (:workspaceId, :channelId, :slug, :name, :uuid, :every, :cron, :timezone, :grace, :failures, :madeBy, :madeBy, :wallMs)
  ON CONFLICT (workspace_id, slug) DO NOTHING`;

/** A deleted channel's heartbeat, waiting for removal, has no name. */
const FORGET_LEFT = `
  DELETE FROM heartbeat WHERE workspace_id = :workspaceId AND slug = :slug
    AND NOT EXISTS (SELECT 1 FROM channel WHERE channel.id = heartbeat.channel_id)`;

const CHANGE = `
  UPDATE heartbeat
  SET name = :name, channel_id = :channelId, every = :every, cron = :cron, timezone = :timezone, grace = :grace, failures = :failures
  WHERE id = :id`;

type InsertedField = 'workspaceId' | 'channelId' | 'slug' | 'name' | 'uuid' | 'madeBy' | keyof Schedule;

interface Definitions {
  find(workspace: WorkspaceRow, slug: string): Promise<HeartbeatRow | Refusal>;
  /** `madeBy`: origin of the key whose ping adds the heartbeat. */
  add(
    workspace: WorkspaceRow,
    asked: Omit<NewHeartbeat, 'workspace'>,
    madeBy: string | null,
    now: Moment,
  ): Promise<HeartbeatRow | Refusal>;
  /** Absent fields stay, those of the schedule as in `base`. */
  change(
    workspace: WorkspaceRow,
    row: HeartbeatRow,
    asked: Omit<HeartbeatChange, 'workspace' | 'slug'>,
    now: Moment,
    base?: Schedule,
  ): Promise<HeartbeatRow | Refusal>;
  /** Changes what a heartbeat waits for. */
  moveDeadline(
    workspace: WorkspaceRow,
    slug: string,
    now: Moment,
    to: (row: HeartbeatRow) => HeartbeatRow,
  ): Promise<HeartbeatRow | Refusal>;
}

export function heartbeatDefinitions(
  sql: Sql,
  settings: StoreSettings,
  deps: Pick<EngineDeps, 'postOwn'>,
): Definitions {
  const insert = sql.run<Pick<HeartbeatRow, InsertedField> & { wallMs: number }>(INSERT);
  const forgetLeft = sql.run<{ workspaceId: number; slug: string }>(FORGET_LEFT);
  const bySlug = sql.get<{ workspaceId: number; slug: string }, HeartbeatRow>(
    `${HEARTBEAT} WHERE heartbeat.workspace_id = :workspaceId AND heartbeat.slug = :slug`,
  );
  const change = sql.run<HeartbeatRow>(CHANGE);
  const moveOn = sql.run<HeartbeatRow>(MOVE_ON);
  const quota = quotas(sql, settings);
  const find = lookups(sql);
  const time = passingTime(sql);
  const resolveLeft = leftAlerts(sql, deps);

  const definitions: Definitions = {
    find: async (workspace, slug) =>
      (await bySlug({ workspaceId: workspace.id, slug })) ?? noHeartbeat(slug, workspace),

    async add(workspace, { slug, channel: channelSlug, ...asked }, madeBy, { wallMs }) {
      const name = displayName(asked.name ?? slug);
      const problem = slugProblem(slug) ?? displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      const schedule = changedSchedule(SCHEDULE_BY_DEFAULT, asked);
      if ('field' in schedule) return invalidField(schedule);
      const channel = await find.channel(workspace, channelSlug);
      if (isRefusal(channel)) return wrongField('channel', channel);
      const full = await quota.heartbeat(workspace, madeBy);
      if (full !== null) return full;
      const { id: workspaceId } = workspace;
      const fresh = { workspaceId, channelId: channel.id, slug, name, uuid: randomUUID(), madeBy, ...schedule };
      await forgetLeft({ workspaceId, slug });
      if ((await insert({ ...fresh, wallMs })) === 0) return heartbeatExists(slug, workspace.slug);
      return definitions.find(workspace, slug);
    },

    async change(workspace, row, asked, now, base = row) {
      const name = displayName(asked.name ?? row.name);
      const problem = displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      const schedule = changedSchedule(base, asked);
      if ('field' in schedule) return invalidField(schedule);
      const channel = await find.channel(workspace, asked.channel ?? row.channel);
      if (isRefusal(channel)) return wrongField('channel', channel);
      if (channel.id !== row.channelId) await resolveLeft(row, now);
      await change({ ...row, ...schedule, name, channelId: channel.id });
      return definitions.moveDeadline(workspace, row.slug, now, (changed) => rescheduled(changed, row, now));
    },

    async moveDeadline(workspace, slug, now, to) {
      await time.upTo(now);
      const found = await definitions.find(workspace, slug);
      if (isRefusal(found)) return found;
      const row = caughtUp(found, now);
      const after = to(row);
      if (after !== row) await moveOn(after);
      return after;
    },
  };
  return definitions;
}
