import { planWindow } from '../../../contract/maintenance.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Actor, isRefusal, type MaintenanceRequest, type Reach, type Refusal } from '../../calls.ts';
import { invalidField, noChannel, noMaintenance, noScope, noSuchChannel } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import { personActor } from '../alerts/person-actor.ts';
import { shownName } from '../alerts/shown-name.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { keyBindings } from '../keys/bindings.ts';
import { keyEndings } from '../keys/endings.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { shownWindow, WINDOWS, type WindowRow } from './rows.ts';
import { type Author, windowChanges } from './windows.ts';

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
