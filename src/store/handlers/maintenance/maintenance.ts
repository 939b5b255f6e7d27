import { fieldProblem } from '../../../contract/details.ts';
import {
  changeWindow,
  type Maintenance,
  MOST_WINDOWS,
  type PlannedWindow,
  planWindow,
  windowTextProblem,
} from '../../../contract/maintenance.ts';
import { newMaintenanceId } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import {
  type Actor,
  isRefusal,
  type MaintenanceChange,
  type MaintenanceRequest,
  type Reach,
  type Refusal,
} from '../../calls.ts';
import { invalidField, noChannel, noMaintenance, noScope, noSuchChannel, tooManyWindows } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import { personActor } from '../alerts/alert-rows.ts';
import { shownName } from '../alerts/shown-name.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { keyBindings } from '../keys/bindings.ts';
import { keyEndings } from '../keys/endings.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { windowNotices } from './ending.ts';
import { planOf, shownWindow, WINDOWS, type WindowRow, windowsOfChannel } from './rows.ts';

/** Windows shown per person. */
const MOST_ON = 50;

/** Windows for members, operators and keys. */
export function maintenance(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const ofWorkspace = sql.all<{ workspaceId: number; channelId: number | null }, WindowRow>(`
    ${WINDOWS} WHERE maintenance.workspace_id = CAST(:workspaceId AS BIGINT)
      AND ${ifGiven('channelId', 'channel_id = :channelId')}
    ORDER BY from_at, maintenance.id
  `);
  const onForPerson = sql.all<{ userId: number; session: Buffer; wallMs: number }, WindowRow>(`
    ${WINDOWS} JOIN member ON member.workspace_id = maintenance.workspace_id
    WHERE member.user_id = CAST(:userId AS BIGINT) AND ${IS_VOUCHED}
      AND from_at <= CAST(:wallMs AS BIGINT) AND until_at > CAST(:wallMs AS BIGINT)
    ORDER BY until_at, maintenance.id LIMIT ${MOST_ON}
  `);
  const keyById = sql.get<{ id: string }, { name: string; origin: string }>(
    'SELECT name, origin FROM api_key WHERE id = :id',
  );
  const find = lookups(sql);
  const bindings = keyBindings(sql);
  const keyMay = keyEndings(sql);
  const windows = windowChanges(sql, deps);

  async function authorOf(actor: Actor | undefined): Promise<Author> {
    if (actor?.kind === 'key') {
      const { name, origin } = (await keyById({ id: actor.id })) ?? { name: actor.id, origin: actor.id };
      return { name, actor: `key ${origin}` };
    }
    if (actor?.kind === 'user') {
      const person = await find.user(actor.name);
      if (!isRefusal(person)) return { name: shownName(person), actor: personActor(person.id) };
    }
    const name = actor?.name ?? 'pushctl';
    return { name, actor: `operator ${name}` };
  }

  async function add(
    workspace: WorkspaceRow,
    { slug, only, note, ...asked }: Omit<MaintenanceRequest, 'workspace'>,
    now: Moment,
    actor: Actor | undefined,
    byKey = false,
  ) {
    const channel = await find.channel(workspace, slug);
    if (isRefusal(channel)) return channel;
    const plan = planWindow(asked, now.wallMs, byKey);
    if ('message' in plan) return invalidField(plan);
    const window = { channelId: channel.id, channel: slug, plan, only, note };
    return windows.add(workspace, window, await authorOf(actor), now);
  }

  /** `slug`: the required channel, if known. */
  async function findWindow({ workspace: name, slug, id }: { workspace: string; slug?: string; id: string }) {
    const workspace = await find.workspace(name);
    if (isRefusal(workspace)) return workspace;
    const row = await windows.find(workspace.id, id);
    return row === undefined || (slug !== undefined && slug !== row.channel) ? noMaintenance(id, workspace) : { row };
  }

  async function reaches({ boundKeyId }: Reach, channel: string): Promise<boolean> {
    return boundKeyId === null || (await bindings.slugsOf(boundKeyId)).includes(channel);
  }

  return {
    async listMaintenance({ workspace: name, slug, userId }, now, actor) {
      const workspace = userId === undefined ? await find.workspace(name) : await find.workspaceOf(userId, name, actor);
      if (isRefusal(workspace)) return workspace;
      const channel = slug === undefined ? null : await find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      const rows = await ofWorkspace({ workspaceId: workspace.id, channelId: channel?.id ?? null });
      return rows.map((row) => shownWindow(row, now));
    },

    async listMaintenanceOn({ userId }, now, actor) {
      const rows = await onForPerson({ userId, session: sessionOf(actor), wallMs: now.wallMs });
      return rows.map((row) => shownWindow(row, now));
    },

    createMaintenance: find.withWorkspace((workspace, asked, now, actor) => add(workspace, asked, now, actor)),

    async updateMaintenance(asked, now) {
      const found = await findWindow(asked);
      return isRefusal(found) ? found : windows.change(found.row, asked, now);
    },

    async endMaintenance(asked, now) {
      const found = await findWindow(asked);
      return isRefusal(found) ? found : windows.end(found.row, now);
    },

    async startMaintenance({ workspaceId, boundKeyId, channel: slug, ...asked }, now, actor) {
      const refusal = await keyMay.change(actor);
      if (refusal !== null) return refusal;
      const workspace = await find.workspaceById(workspaceId);
      if (workspace === undefined) return noSuchChannel(slug);
      if (!(await reaches({ workspaceId, boundKeyId }, slug))) return noChannel(slug, workspace);
      return add(workspace, { slug, ...asked }, now, actor, true);
    },

    async endOwnMaintenance(
      { workspaceId, boundKeyId, id },
      now,
      actor,
    ): Promise<ReturnType<typeof shownWindow> | Refusal> {
      const refusal = await keyMay.change(actor);
      if (refusal !== null) return refusal;
      const workspace = await find.workspaceById(workspaceId);
      if (workspace === undefined) return noScope('alerts:write');
      const row = await windows.find(workspaceId, id);
      const isOwn = row !== undefined && row.madeBy === (await authorOf(actor)).actor;
      if (!isOwn || !(await reaches({ workspaceId, boundKeyId }, row.channel))) return noMaintenance(id, workspace);
      return windows.end(row, now);
    },
  } satisfies SomeHandlers;
}

const INSERT = `
  INSERT INTO maintenance (public_id, workspace_id, channel_id, from_at, until_at, only_key, note, cron, timezone, length,
    made_by, name, created_at)
  VALUES (:publicId, :workspaceId, :channelId, :fromMs, :untilMs, CAST(:only AS TEXT), CAST(:note AS TEXT),
    CAST(:cron AS TEXT), CAST(:timezone AS TEXT), CAST(:lengthS AS BIGINT), :madeBy, :name, :wallMs)`;

const CHANGE = `
  UPDATE maintenance SET from_at = :fromMs, until_at = :untilMs, only_key = CAST(:only AS TEXT), note = CAST(:note AS TEXT),
    cron = CAST(:cron AS TEXT), timezone = CAST(:timezone AS TEXT), length = CAST(:lengthS AS BIGINT)
  WHERE id = :id`;

/** The next round reports open alerts, and removes it. */
const END = `
  UPDATE maintenance SET until_at = CASE WHEN until_at > :wallMs THEN :wallMs ELSE until_at END, ended = 1,
    cron = NULL, timezone = NULL, length = NULL
  WHERE id = :id`;

/** A window's author. `actor`: by kind and id, a key by its origin. */
interface Author {
  readonly actor: string;
  readonly name: string;
}
interface NewWindow {
  readonly channelId: number;
  readonly channel: string;
  readonly plan: PlannedWindow;
  readonly only?: string | undefined;
  readonly note?: string | undefined;
}

/** Changes windows for all callers. */
function windowChanges(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const insert = sql.run<object>(INSERT);
  const change = sql.run<object>(CHANGE);
  const end = sql.run<{ id: number; wallMs: number }>(END);
  const remove = sql.run<{ id: number }>('DELETE FROM maintenance WHERE id = :id');
  const countOf = sql.value<{ channelId: number }, number>(
    'SELECT count(*) FROM maintenance WHERE channel_id = :channelId',
  );
  const byId = sql.get<{ workspaceId: number; publicId: string }, WindowRow>(
    `${WINDOWS} WHERE maintenance.workspace_id = :workspaceId AND public_id = :publicId`,
  );
  const notices = windowNotices(sql, deps);
  const writeToChannel = windowsOfChannel(sql);

  async function written({ workspaceId, channelId }: Pick<WindowRow, 'workspaceId' | 'channelId'>, publicId: string) {
    await writeToChannel(channelId);
    return again(workspaceId, publicId);
  }

  async function again(workspaceId: number, publicId: string): Promise<WindowRow> {
    const row = await byId({ workspaceId, publicId });
    if (row === undefined) throw new Error('a window that was just written is there');
    return row;
  }

  return {
    /** Undefined: not in this workspace, or its channel is deleted. */
    find: async (workspaceId: number, publicId: string) => byId({ workspaceId, publicId }),

    async add(
      workspace: WorkspaceRow,
      { channelId, channel, plan, only, note }: NewWindow,
      { actor: madeBy, name }: Author,
      now: Moment,
    ): Promise<Maintenance | Refusal> {
      const problem = windowTextProblem({ only, note });
      if (problem !== null) return invalidField(problem);
      if (((await countOf({ channelId })) ?? 0) >= MOST_WINDOWS)
        return tooManyWindows(channel, workspace, MOST_WINDOWS);
      const publicId = newMaintenanceId(now.wallMs);
      const { id: workspaceId } = workspace;
      const texts = { only: only ?? null, note: note?.trim() ?? null };
      await insert({
        publicId,
        workspaceId,
        channelId,
        ...columnsOf(plan),
        ...texts,
        madeBy,
        name,
        wallMs: now.wallMs,
      });
      const row = await written({ workspaceId, channelId }, publicId);
      await notices.started(row, now);
      return shownWindow(row, now);
    },

    async change(row: WindowRow, asked: MaintenanceChange, now: Moment): Promise<Maintenance | Refusal> {
      const { wallMs } = now;
      const { only = row.only, note = row.note } = asked;
      const problem = windowTextProblem({ only, note }) ?? fixedProblem(row, asked, wallMs);
      if (problem !== null) return invalidField(problem);
      const plan = changeWindow(planOf(row), asked, wallMs);
      if ('message' in plan) return invalidField(plan);
      await change({ id: row.id, ...columnsOf(plan), only, note: note?.trim() ?? null });
      const after = await written(row, row.publicId);
      // A change that ends the window now is announced by the end.
      if (after.untilMs > wallMs && !isSame(row, after)) await notices.changed(after, now);
      return shownWindow(after, now);
    },

    async end(row: WindowRow, now: Moment): Promise<Maintenance> {
      const { wallMs } = now;
      if (row.fromMs > wallMs) {
        await remove(row);
        await writeToChannel(row.channelId);
        await notices.cancelled(row, now);
        return shownWindow(row, now);
      }
      await end({ id: row.id, wallMs });
      return shownWindow(await written(row, row.publicId), now);
    },
  };
}

function columnsOf({ fromMs, untilMs, recurrence }: PlannedWindow) {
  const { cron = null, timezone = null, lengthS = null } = recurrence ?? {};
  return { fromMs, untilMs, cron, timezone, lengthS };
}

/** Held alerts would neither ring nor be in the window's bundle. */
function fixedProblem(row: WindowRow, { only }: MaintenanceChange, wallMs: number) {
  if (only === undefined || only === row.only || row.fromMs > wallMs) return null;
  return fieldProblem('only', 'window_on');
}

function isSame(before: WindowRow, after: WindowRow): boolean {
  const fields = ['fromMs', 'untilMs', 'only', 'note', 'cron', 'timezone', 'lengthS'] as const;
  return fields.every((field) => before[field] === after[field]);
}
