import { givenAddress } from '../../../contract/addresses.ts';
import { canonicalEmail } from '../../../contract/names.ts';
import type { Address, Environment, Platform } from '../../../push.ts';
import { type ExportedDevice, isRefusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { wordsOf } from './devices.ts';
import { isMuted, SUBSCRIBED_TO, subscribedTo } from './mutes.ts';

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
