import { type HeartbeatState, SCHEDULE_BY_DEFAULT } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import {
  type Actor,
  type AddressedHeartbeat,
  type FoundByName,
  type HeartbeatFilter,
  isRefusal,
  type NamedHeartbeat,
  type Reach,
  type Refusal,
} from '../../calls.ts';
import { noChannel, noHeartbeat, noSuchChannel } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { isInReach, keyBindings } from '../keys/bindings.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { isLike, pageOf, searchPattern } from '../pages.ts';
import { sessionOf, vouchers } from '../people/vouchers.ts';
import { heartbeatDefinitions } from './definitions.ts';
import { leftAlerts } from './events.ts';
import { HEARTBEAT, HEARTBEATS, type HeartbeatRow, SHOWN_STATE, showAddressed, showHeartbeat } from './rows.ts';

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

/** Ignores case. Slugs per workspace are few. */
const BY_NAME = `
  SELECT heartbeat.slug, uuid, channel_id IN (SELECT channel_id FROM key_channel WHERE key_id = :keyId) AS "isReached"
  FROM ${HEARTBEATS} WHERE heartbeat.workspace_id = :workspaceId AND lower(heartbeat.slug) = :slug`;

/** Lists, defines and pings heartbeats for keys. Those of unreachable channels do not exist. */
export function heartbeatsByKey(sql: Sql, settings: StoreSettings, deps: Pick<EngineDeps, 'postOwn'>) {
  const readPage = heartbeatPages(sql);
  const byName = sql.all<NamedHeartbeat, { uuid: string; isReached: boolean | number }>(BY_NAME);
  const bindings = keyBindings(sql);
  const find = lookups(sql);
  const define = heartbeatDefinitions(sql, settings, deps);

  async function findNamed(named: NamedHeartbeat): Promise<FoundByName> {
    const all = await byName(named);
    const [found, another] = all.filter(({ isReached }) => isReached);
    if (another !== undefined) return { kind: 'ambiguous' };
    if (found !== undefined) return { kind: 'found', uuid: found.uuid };
    return { kind: all.length > 0 ? 'unreachable' : 'none' };
  }

  async function canReach({ boundKeyId }: Reach, channel: string): Promise<boolean> {
    return boundKeyId === null || (await bindings.slugsOf(boundKeyId)).includes(channel);
  }

  return {
    listReachedHeartbeats: (filter, now) => readPage(filter, now, showHeartbeat),

    findNamedHeartbeat: (named) => findNamed(named),

    async addNamedHeartbeat(named, now) {
      const { workspaceId, keyId, origin, slug } = named;
      const workspace = await find.workspaceById(workspaceId);
      const found = await findNamed(named);
      const [channel = ''] = await bindings.slugsOf(keyId);
      if (workspace === undefined || channel === '') return noSuchChannel(channel);
      if (found.kind === 'found') return { uuid: found.uuid, channel, isNew: false };
      if (found.kind !== 'none') return noHeartbeat(slug, workspace);
      const row = await define.add(workspace, { slug, channel }, origin, now);
      return isRefusal(row) ? row : { uuid: row.uuid, channel, isNew: true };
    },

    async putHeartbeat({ workspaceId, boundKeyId, slug, channel, ...asked }, now) {
      const workspace = await find.workspaceById(workspaceId);
      if (workspace === undefined) return noSuchChannel(channel);
      const reach = { workspaceId, boundKeyId };
      if (!(await canReach(reach, channel))) return noChannel(channel, workspace);
      const before = await define.find(workspace, slug);
      if (!isRefusal(before) && !(await canReach(reach, before.channel))) return noHeartbeat(slug, workspace);
      const row = isRefusal(before)
        ? await define.add(workspace, { ...asked, slug, channel }, null, now)
        : await define.change(workspace, before, { name: slug, ...asked, channel }, now, SCHEDULE_BY_DEFAULT);
      if (isRefusal(row)) return row;
      const done = isRefusal(before) ? 'added' : isSame(before, row) ? 'nothing' : 'changed';
      return { heartbeat: showAddressed(row, now), done };
    },
  } satisfies SomeHandlers;
}

function isSame(before: HeartbeatRow, after: HeartbeatRow): boolean {
  return (['name', 'channelId', 'every', 'cron', 'timezone', 'grace', 'failures'] as const).every(
    (field) => before[field] === after[field],
  );
}

/** Returns a function that reads a page of reachable heartbeats by slug. */
function heartbeatPages(sql: Sql) {
  const page = sql.parts<
    Reach & { after: string; state: HeartbeatState | null; steadyMs: number; pattern: string | null },
    HeartbeatRow
  >(`
    ${HEARTBEAT}
    WHERE heartbeat.workspace_id = CAST(:workspaceId AS BIGINT) AND heartbeat.slug > CAST(:after AS TEXT)
      AND ${ifGiven('state', `${SHOWN_STATE} = :state`)}
      AND ${isLike('heartbeat.name', 'heartbeat.slug')} AND ${isInReach('channel_id')}
    ORDER BY heartbeat.slug
  `);
  return async <Shown extends { readonly slug: string }>(
    { workspaceId, boundKeyId, q, state, after = '', limit }: HeartbeatFilter & Reach,
    now: Moment,
    show: (row: HeartbeatRow, now: Moment) => Shown,
  ): Promise<{ heartbeats: readonly Shown[]; next: string | null }> => {
    const { steadyMs } = now;
    const rows = page({ workspaceId, boundKeyId, after, state: state ?? null, steadyMs, pattern: searchPattern(q) });
    const { entries, hasMore } = await pageOf(
      rows,
      (row) => show(row, now),
      () => 0,
      limit,
    );
    return { heartbeats: entries, next: hasMore ? (entries.at(-1)?.slug ?? null) : null };
  };
}
