import { publicIdOf } from '../../../contract/public-id.ts';
import { toTimestampOrNull } from '../../../values/timestamp.ts';
import { type Actor, type Alert, type AlertAsker, type AlertFilter, isRefusal, type Refusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import { ifGiven, indexRange, type Sql } from '../../sql.ts';
import { eventOrder } from '../events/event-order.ts';
import type { SomeHandlers } from '../handler.ts';
import { isInReach } from '../keys/bindings.ts';
import { lookups } from '../lookups.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { ALERTS, type AlertRow, DECIDES, IS_LIVE, IS_OPEN, STATE } from './alert-rows.ts';
import { alertFinder, askerParams } from './finding.ts';

type State = NonNullable<AlertFilter['state']>;

/** Rows examined per page, in all workspaces. */
const MOST_LOOKED_AT = 5_000;
/** The least examined per workspace. */
const LEAST_LOOKED_AT = 100;

/** `:state` is one of these, or a state itself. */
const IN_STATE = `(
  ${STATE} = CAST(:state AS TEXT) OR CASE CAST(:state AS TEXT)
    WHEN 'live' THEN ${STATE} IN ('open', 'acknowledged') WHEN 'ended' THEN ${STATE} IN ('resolved', 'expired')
  END
)`;

/** An index of alerts, by workspace or channel, newest first. */
type Place = 'workspace_id' | 'channel_id';

const OF_WORKSPACE = 'alert.workspace_id = CAST(:workspaceId AS BIGINT)';
const placeOf = (place: Place) => (place === 'workspace_id' ? ':workspaceId' : ':channelId');

const pageOf = (place: Place, among: string) => `${ALERTS}
  WHERE ${among}${indexRange('alert', [place, 'event_id'], placeOf(place), ':floor', ':lastId')} AND ${IN_STATE}
    AND ${OF_WORKSPACE}
    AND ${isInReach('alert.channel_id')}
    AND ${ifGiven('channelId', 'alert.channel_id = :channelId')}
    AND ${ifGiven('collapseKey', 'alert.collapse_key = :collapseKey')}
  ORDER BY alert.${place} DESC, alert.event_id DESC LIMIT CAST(:limit AS BIGINT)`;

/** The last row that a page examines; none: all. */
const floorOf = (place: Place, among: string) => `
  SELECT alert.event_id FROM alert WHERE ${among}${indexRange('alert', [place, 'event_id'], placeOf(place), '0', ':lastId')}
  ORDER BY alert.${place} DESC, alert.event_id DESC LIMIT 1 OFFSET CAST(:looks AS BIGINT)`;

/** The alert that an event with this key would join, by the key. */
const BY_KEY = `${ALERTS}
  WHERE ${IS_LIVE} AND ${OF_WORKSPACE} AND alert.channel_id = CAST(:channelId AS BIGINT)
    AND alert.collapse_key = CAST(:collapseKey AS TEXT) AND alert.event_id <= CAST(:lastId AS BIGINT) AND ${IN_STATE}
    AND ${isInReach('alert.channel_id')}`;

const WORKSPACES_OF = `
  SELECT member.workspace_id FROM member WHERE member.user_id = CAST(:userId AS BIGINT) AND ${IS_VOUCHED}
  ORDER BY member.workspace_id`;

const COUNTS = `
  SELECT count(*) AS open, min(alert.opened_at) AS oldest FROM alert JOIN channel ON channel.id = alert.channel_id
  JOIN workspace ON workspace.id = alert.workspace_id
  WHERE ${IS_OPEN} AND NOT EXISTS (SELECT 1 FROM alert_mark AS mark WHERE ${DECIDES})`;

interface PageParams {
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly boundKeyId: string | null;
  readonly lastId: number;
  readonly state: State;
  readonly collapseKey: string | null;
  readonly limit: number;
}

/** A workspace, or a channel of it. */
interface Whereabouts {
  readonly workspaceId: number;
  readonly channelId: number | null;
}

export function alertReading(sql: Sql) {
  const reading = (place: Place, among: string) => ({
    page: sql.all<PageParams & { floor: number }, AlertRow>(pageOf(place, among)),
    floor: sql.value<PageParams & { looks: number }, number>(floorOf(place, among)),
  });
  const all = reading('workspace_id', '');
  const live = reading('workspace_id', `${IS_LIVE} AND `);
  const liveOfChannel = reading('channel_id', `${IS_LIVE} AND `);
  const byKey = sql.all<PageParams, AlertRow>(BY_KEY);
  const workspacesOf = sql.values<{ userId: number; session: Buffer }, number>(WORKSPACES_OF);
  const allWorkspaces = sql.values<object, number>('SELECT id FROM workspace ORDER BY id');
  const uuidOf = sql.value<{ id: number }, Uint8Array>('SELECT uuid FROM event WHERE id = :id');
  const counts = sql.get<object, { open: number; oldest: number | null }>(COUNTS);
  const alerts = alertFinder(sql);
  const find = lookups(sql);
  const { atOrBefore } = eventOrder(sql);

  /** Returns the named workspace, or all that the asker may see. */
  async function workspacesFor(
    { userId, reach }: AlertAsker,
    slug: string | undefined,
    actor: Actor | undefined,
  ): Promise<readonly number[] | Refusal> {
    if (slug !== undefined) {
      const known = await (userId === undefined ? find.workspace(slug) : find.workspaceOf(userId, slug, actor));
      if (isRefusal(known)) return known;
      return reach === undefined || reach.workspaceId === known.id ? [known.id] : [];
    }
    if (reach !== undefined) return [reach.workspaceId];
    return userId === undefined ? allWorkspaces({}) : workspacesOf({ userId, session: sessionOf(actor) });
  }

  /** Without such a channel, the workspace has none. */
  async function placesIn(
    workspaceIds: readonly number[],
    channel: string | undefined,
  ): Promise<readonly Whereabouts[]> {
    if (channel === undefined) return workspaceIds.map((workspaceId) => ({ workspaceId, channelId: null }));
    const places: Whereabouts[] = [];
    for (const workspaceId of workspaceIds) {
      const workspace = await find.workspaceById(workspaceId);
      const found = workspace && (await find.channel(workspace, channel));
      if (found !== undefined && !isRefusal(found)) places.push({ workspaceId, channelId: found.id });
    }
    return places;
  }

  /** Returns a place's newest rows, and the id above which all were examined. */
  async function readPlace(params: PageParams, looks: number): Promise<{ rows: readonly AlertRow[]; floor: number }> {
    const { state, channelId, collapseKey } = params;
    const isLive = state !== 'ended';
    if (isLive && channelId !== null && collapseKey !== null) return { rows: await byKey(params), floor: 0 };
    const liveOnes = channelId === null ? live : liveOfChannel;
    const { page, floor: lastLookedAt } = isLive ? liveOnes : all;
    const floor = (await lastLookedAt({ ...params, looks: looks - 1 })) ?? 0;
    return { rows: await page({ ...params, floor }), floor };
  }

  return {
    async listAlerts({ workspace, channel, state = 'live', collapseKey, before, limit, ...asker }, now, actor) {
      const workspaceIds = await workspacesFor(asker, workspace, actor);
      if (isRefusal(workspaceIds)) return workspaceIds;
      const beforeId = before === undefined ? Number.MAX_SAFE_INTEGER : await atOrBefore(before);
      if (beforeId === null) return badCursor('before');
      const { boundKeyId } = askerParams(asker, actor);
      const asked = { lastId: beforeId - 1, state, boundKeyId, collapseKey: collapseKey ?? null, limit: limit + 1 };
      const places = await placesIn(workspaceIds, channel);
      const looks = Math.max(LEAST_LOOKED_AT, Math.floor(MOST_LOOKED_AT / Math.max(1, places.length)));
      const found: AlertRow[] = [];
      let floor = 0;
      for (const place of places) {
        const read = await readPlace({ ...asked, ...place }, looks);
        found.push(...read.rows);
        floor = Math.max(floor, read.floor);
      }
      const rows = found.filter(({ id }) => id >= floor).sort((a, b) => b.id - a.id);
      const shown: Alert[] = [];
      for (const row of rows.slice(0, limit)) shown.push(await alerts.show(row, now));
      if (rows.length > limit) return { alerts: shown, next: shown.at(-1)?.id ?? null };
      const last = floor === 0 ? undefined : await uuidOf({ id: floor });
      return { alerts: shown, next: last === undefined ? null : publicIdOf(last) };
    },

    async showAlert(asked, now, actor) {
      const row = await alerts.find(asked, actor);
      return isRefusal(row) ? row : { alert: await alerts.show(row, now) };
    },

    async countAlerts() {
      const { open = 0, oldest = null } = (await counts({})) ?? {};
      return { open, oldest_opened_at: toTimestampOrNull(oldest) };
    },
  } satisfies SomeHandlers;
}
