import { appOf, pushServiceOf } from '../../../contract/addresses.ts';
import { channelsProblem } from '../../../contract/names.ts';
import type { Environment, Platform } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import { type Device, type DeviceOwner, isRefusal } from '../../calls.ts';
import { invalidField, noDevice } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import { ID_LIST, idList, ifGiven, MOST_IDS, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { IS_REACHED, sessionOf } from '../people/vouchers.ts';
import { isMuted, SUBSCRIBED_TO, subscribedTo } from './mutes.ts';
import { newDeviceProblem, registrations } from './registration.ts';

export interface DeviceRow {
  readonly public_id: string;
  readonly platform: Platform;
  readonly environment: Environment | null;
  readonly token: string;
  readonly keys: string | null;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly registered_at: number;
  readonly shown_at: number | null;
  readonly silent_at: number | null;
  /** Words of `SUBSCRIBED_TO`, separated by blanks. */
  readonly channels: string;
}

export const REPORTED_FIELDS = `
  (SELECT shown_at FROM reporter WHERE reporter.device_id = device.id) AS shown_at,
  (SELECT silent_at FROM reporter WHERE reporter.device_id = device.id) AS silent_at`;

/** Columns of a device. `channels`: of one workspace; of all if `:workspaceId` is null. */
export const DEVICE_FIELDS = `
  device.public_id, device.platform, device.environment, device.token, device.keys, device.name, device.status,
  device.inactive_reason, device.registered_at, ${REPORTED_FIELDS},
  (SELECT coalesce(string_agg(${SUBSCRIBED_TO}, ' ' ORDER BY channel.slug), '') FROM subscription
   JOIN channel ON channel.id = subscription.channel_id
   WHERE subscription.device_id = device.id
     AND ${ifGiven('workspaceId', 'channel.workspace_id = :workspaceId')}
     AND EXISTS (
       SELECT 1 FROM member WHERE member.workspace_id = channel.workspace_id AND member.user_id = device.user_id
     )) AS channels
`;

export function devices(sql: Sql, { addresses }: Pick<StoreSettings, 'addresses'>) {
  const byPublicId = sql.get<
    { id: string; workspaceId: number | null; userId: number | null; session: Buffer },
    DeviceRow
  >(`
    SELECT ${DEVICE_FIELDS} FROM device
    WHERE device.public_id = :id AND ${ifGiven('userId', 'device.user_id = :userId')}
      AND ${IS_REACHED}
  `);
  const remove = sql.run<{ id: string }>('DELETE FROM device WHERE public_id = :id');
  const publicId = sql.value<{ id: number }, string>('SELECT public_id FROM device WHERE id = :id');
  const owners = sql.all<ReturnType<typeof idList>, DeviceOwner>(`
    SELECT DISTINCT person.email, member.workspace_id AS "workspaceId" FROM device
    JOIN person ON person.id = device.user_id JOIN member ON member.user_id = person.id
    WHERE device.id IN ${ID_LIST}
  `);
  const find = lookups(sql);
  const { register } = registrations(sql);

  return {
    addDevice: find.withWorkspace(async (workspace, { email, ...device }, { wallMs }, actor) => {
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      const problem = newDeviceProblem(device, addresses) ?? channelsProblem('subscribe', device.subscribe ?? []);
      if (problem !== null) return invalidField(problem);
      const channels = await find.channelIds(workspace, device.subscribe ?? []);
      if (isRefusal(channels)) return channels;
      const { publicId, created } = await register({ userId: user.id, device, channelIds: channels, wallMs });
      const row = await byPublicId({
        id: publicId,
        workspaceId: workspace.id,
        userId: user.id,
        session: sessionOf(actor),
      });
      return row === undefined ? noDevice(publicId) : { device: shownDevice(row), created };
    }),

    async removeDevice({ id, userId = null }, _, actor) {
      const row = await byPublicId({ id, workspaceId: null, userId, session: sessionOf(actor) });
      if (row === undefined) return noDevice(id);
      await remove({ id });
      return shownDevice(row);
    },

    async publicDeviceIds({ ids }) {
      const found: Record<number, string> = {};
      for (const id of ids) {
        const foundId = await publicId({ id });
        if (foundId !== undefined) found[id] = foundId;
      }
      return found;
    },

    async deviceOwners({ ids }) {
      const found = new Map<string, DeviceOwner>();
      for (let at = 0; at < ids.length; at += MOST_IDS) {
        for (const owner of await owners(idList(ids.slice(at, at + MOST_IDS)))) {
          found.set(`${owner.workspaceId} ${owner.email}`, owner);
        }
      }
      return [...found.values()];
    },
  } satisfies SomeHandlers;
}

type ShownRow = Pick<
  DeviceRow,
  'public_id' | 'platform' | 'token' | 'keys' | 'registered_at' | 'shown_at' | 'silent_at'
>;

export function shownDevice({ channels, ...row }: DeviceRow): Device {
  const subscriptions = wordsOf(channels).map(subscribedTo);
  return {
    ...shownFields(row),
    channels: subscriptions.map(({ channel }) => channel),
    mutes: subscriptions.filter(isMuted),
  };
}

/** Returns a row's fields in every view, without its address. */
export function shownFields<Row extends ShownRow>(row: Row) {
  const { public_id, token, keys, registered_at, shown_at, silent_at, ...fields } = row;
  return {
    id: public_id,
    ...fields,
    push_service: pushServiceOf(row.platform, token),
    app: appOf(row.platform, keys),
    registered_at: toTimestamp(registered_at),
    last_shown_at: toTimestampOrNull(shown_at),
    not_showing_since: toTimestampOrNull(silent_at),
  };
}

/** Splits names joined by blanks, absent in slugs and ids. */
export function wordsOf(list: string): string[] {
  return list === '' ? [] : list.split(' ');
}
