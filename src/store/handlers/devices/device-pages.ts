import { givenAddress } from '../../../contract/addresses.ts';
import { canonicalEmail } from '../../../contract/names.ts';
import type { Address, Environment, Platform } from '../../../push.ts';
import { type DeviceFilter, type ExportedDevice, isRefusal, type OwnedDevice, type Refusal } from '../../calls.ts';
import { badCursor, noDevice } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { isLike, pageOf, searchPattern } from '../pages.ts';
import { DEVICE_FIELDS, type DeviceRow, shownDevice, wordsOf } from './devices.ts';
import { isMuted, SUBSCRIBED_TO, subscribedTo } from './mutes.ts';

interface OwnedDeviceRow extends DeviceRow {
  readonly email: string;
}

/** The place before a page's first device. `lastUserId`: the last person listed. */
interface PagePlace {
  readonly userId: number;
  readonly deviceId: number;
  readonly lastUserId: number;
}

/** null: any value. */
interface FilterParams {
  readonly platform: string | null;
  readonly status: string | null;
  readonly channelId: number | null;
  /** See `searchPattern`. */
  readonly pattern: string | null;
}

export function devicePages(sql: Sql) {
  /** Lists later devices of the cursor's member, if first, and all of the next members. */
  const page = sql.parts<PagePlace & FilterParams & { workspaceId: number }, OwnedDeviceRow>(`
    SELECT ${DEVICE_FIELDS}, person.email
    FROM member
    JOIN person ON person.id = member.user_id
    JOIN device ON device.user_id = member.user_id
      AND device.id > CASE WHEN member.user_id = :userId THEN CAST(:deviceId AS BIGINT) ELSE 0 END
    WHERE member.workspace_id = :workspaceId AND member.user_id BETWEEN :userId AND :lastUserId
      AND ${ifGiven('platform', 'device.platform = :platform')}
      AND ${ifGiven('status', 'device.status = :status')}
      AND ${ifGiven(
        'channelId',
        `EXISTS (
        SELECT 1 FROM subscription WHERE subscription.device_id = device.id AND subscription.channel_id = :channelId
      )`,
      )}
      AND ${isLike('device.name', 'person.name', 'person.email')}
    ORDER BY member.user_id, device.id
  `);
  const position = sql.get<{ id: string; workspaceId: number }, { userId: number; deviceId: number }>(`
    SELECT device.user_id AS "userId", device.id AS "deviceId"
    FROM device JOIN member ON member.user_id = device.user_id
    WHERE device.public_id = :id AND member.workspace_id = :workspaceId
  `);
  const readDevice = sql.get<{ id: string; workspaceId: number }, OwnedDeviceRow>(`
    SELECT ${DEVICE_FIELDS}, person.email
    FROM device JOIN member ON member.user_id = device.user_id JOIN person ON person.id = device.user_id
    WHERE device.public_id = :id AND member.workspace_id = :workspaceId
  `);
  const find = lookups(sql);

  /** Returns the place behind a device, of one person's or all; null: not among them. */
  async function placeAfter(
    after: string | undefined,
    workspace: WorkspaceRow,
    onlyUserId?: number,
  ): Promise<PagePlace | null> {
    const lastUserId = onlyUserId ?? Number.MAX_SAFE_INTEGER;
    if (after === undefined) return { userId: onlyUserId ?? 0, deviceId: 0, lastUserId };
    const found = await position({ id: after, workspaceId: workspace.id });
    if (found === undefined || (onlyUserId ?? found.userId) !== found.userId) return null;
    return { ...found, lastUserId };
  }

  async function filterOf(workspace: WorkspaceRow, asked: DeviceFilter): Promise<FilterParams | Refusal> {
    const { platform = null, status = null, channel, q } = asked;
    const found = channel === undefined ? null : await find.channel(workspace, channel);
    if (found !== null && isRefusal(found)) return found;
    return { platform, status, channelId: found?.id ?? null, pattern: searchPattern(q) };
  }

  return {
    listDevices: find.withWorkspace(async (workspace, { email, limit, after, ...asked }) => {
      const user = email === undefined ? null : await find.member(workspace, canonicalEmail(email));
      if (user !== null && isRefusal(user)) return user;
      const filter = await filterOf(workspace, asked);
      if (isRefusal(filter)) return filter;
      const place = await placeAfter(after, workspace, user?.id);
      if (place === null) return badCursor('after');
      const parts = page({ workspaceId: workspace.id, ...filter, ...place });
      const { entries, hasMore } = await pageOf(parts, owned, ({ channels }) => channels.length, limit);
      return { devices: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    }),

    showDevice: find.withWorkspace(async (workspace, { id }) => {
      const row = await readDevice({ id, workspaceId: workspace.id });
      return row === undefined ? noDevice(id) : owned(row);
    }),
  } satisfies SomeHandlers;
}

function owned(row: OwnedDeviceRow): OwnedDevice {
  return { ...shownDevice(row), email: row.email };
}

interface Cursor {
  readonly userId: number;
  readonly deviceId: number;
}
interface ExportRow extends Cursor, Address {
  readonly platform: Platform;
  readonly environment: Environment | null;
  readonly name: string;
  readonly appVersion: string | null;
  readonly isActive: 0 | 1;
  /** Words of `SUBSCRIBED_TO`, separated by blanks. */
  readonly subscribe: string;
}

const CURSOR = /^(\d{1,15}) (\d{1,15})$/;

export function deviceExports(sql: Sql) {
  const page = sql.parts<Cursor & { workspaceId: number; lastUserId: number }, ExportRow>(`
    SELECT device.user_id AS "userId", device.id AS "deviceId", platform, environment, token_kind AS "tokenKind", token,
      keys, device.name, app_version AS "appVersion", CASE device.status WHEN 'active' THEN 1 ELSE 0 END AS "isActive",
      (SELECT coalesce(string_agg(${SUBSCRIBED_TO}, ' ' ORDER BY channel.slug), '') FROM subscription
       JOIN channel ON channel.id = subscription.channel_id
       WHERE subscription.device_id = device.id AND channel.workspace_id = :workspaceId) AS subscribe
    FROM member JOIN device ON device.user_id = member.user_id
      AND device.id > CASE WHEN member.user_id = :userId THEN CAST(:deviceId AS BIGINT) ELSE 0 END
    WHERE member.workspace_id = :workspaceId AND member.user_id BETWEEN :userId AND :lastUserId
    ORDER BY member.user_id, device.id
  `);
  const find = lookups(sql);

  return {
    exportDevices: find.withWorkspace(async (workspace, { email, limit, after }) => {
      const user = email === undefined ? null : await find.member(workspace, canonicalEmail(email));
      if (user !== null && isRefusal(user)) return user;
      const beginning = { userId: user?.id ?? 0, deviceId: 0 };
      const place = after === undefined ? beginning : placeOf(after);
      if (place === null) return badCursor('after');
      const lastUserId = user?.id ?? Number.MAX_SAFE_INTEGER;
      const parts = page({ workspaceId: workspace.id, lastUserId, ...place });
      const { entries, hasMore } = await pageOf(parts, showDevice, ({ device }) => device.subscribe.length, limit);
      const devices = entries.flatMap(({ row, device }) => (row.isActive === 1 ? device : []));
      const last = entries.at(-1)?.row;
      const next = hasMore && last !== undefined ? `${last.userId} ${last.deviceId}` : null;
      return { devices, inactive: entries.length - devices.length, next };
    }),
  } satisfies SomeHandlers;
}

/** Reads a cursor of internal ids: removed devices do not end exports. */
function placeOf(after: string): Cursor | null {
  const [, userId, deviceId] = CURSOR.exec(after) ?? [];
  return userId === undefined ? null : { userId: Number(userId), deviceId: Number(deviceId) };
}

function showDevice(row: ExportRow): { readonly row: ExportRow; readonly device: ExportedDevice } {
  const { platform, environment, tokenKind, name, appVersion, subscribe } = row;
  const subscriptions = wordsOf(subscribe).map(subscribedTo);
  const mutes = subscriptions.filter(isMuted);
  const device = {
    platform,
    ...givenAddress(platform, row),
    ...(tokenKind !== 'token' && { token_kind: tokenKind }),
    ...(environment !== null && { environment }),
    name,
    ...(appVersion !== null && { app_version: appVersion }),
    subscribe: subscriptions.map(({ channel }) => channel),
    ...(mutes.length > 0 && { mutes }),
  };
  return { row, device };
}
