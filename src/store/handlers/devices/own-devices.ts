import { appOf, storedAddress } from '../../../contract/addresses.ts';
import { displayName, displayNameProblem } from '../../../contract/names.ts';
import { endpointIn } from '../../../contract/push-services.ts';
import type { TokenKind } from '../../../push.ts';
import {
  type Actor,
  type DeviceChange,
  isRefusal,
  type NewDevice,
  type OwnDevice,
  type OwnSubscription,
  type Refusal,
  type SubscribedChannel,
} from '../../calls.ts';
import { badCursor, conflict, invalidField, noChannel, userGone } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import { CHANNEL_FIELDS, type ChannelFields, shownChannel } from '../channels.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { isLike, pageOf, searchPattern } from '../pages.ts';
import { IS_REACHED, IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { type DeviceRow, REPORTED_FIELDS, shownFields, wordsOf } from './devices.ts';
import { SUBSCRIBED_TO, storedMute, subscribedTo } from './mutes.ts';
import { newDeviceProblem, registrations } from './registration.ts';
import { subscriptions } from './subscriptions.ts';

interface OwnDeviceRow extends Omit<DeviceRow, 'channels'> {
  readonly id: number;
  readonly token_kind: TokenKind;
  readonly app_version: string | null;
  /** Words: a workspace, `/`, and a word of `SUBSCRIBED_TO`. */
  readonly subscriptions: string;
}

type KnownAddress = Pick<OwnDeviceRow, 'platform' | 'environment' | 'token_kind' | 'keys'>;

const OWN_DEVICES = `
  SELECT device.id, public_id, platform, environment, token_kind, token, keys, device.name, app_version, device.status,
    inactive_reason, registered_at, ${REPORTED_FIELDS},
    (SELECT coalesce(string_agg(workspace.slug || '/' || ${SUBSCRIBED_TO}, ' ' ORDER BY workspace.slug, channel.slug), '')
     FROM subscription
     JOIN channel ON channel.id = subscription.channel_id
     JOIN workspace ON workspace.id = channel.workspace_id
     JOIN member ON member.workspace_id = workspace.id AND member.user_id = device.user_id
     WHERE subscription.device_id = device.id AND ${IS_VOUCHED}) AS subscriptions
  FROM device
`;

/** Lists a person's devices in pages: full quotas mean hundreds of subscriptions each. */
export function ownDeviceLists(sql: Sql) {
  const page = sql.parts<{ userId: number; afterId: number; session: Buffer }, OwnDeviceRow>(`
    ${OWN_DEVICES} WHERE device.user_id = CAST(:userId AS BIGINT) AND device.id > CAST(:afterId AS BIGINT)
      AND ${IS_REACHED} ORDER BY device.id
  `);
  const find = lookups(sql);

  return {
    async listOwnDevices({ userId, limit, after }, _, actor) {
      const afterId = after === undefined ? 0 : await find.deviceOf(userId, after, actor);
      if (isRefusal(afterId)) return badCursor('after');
      const parts = page({ userId, afterId, session: sessionOf(actor) });
      const { entries, hasMore } = await pageOf(parts, showDevice, ({ subscriptions }) => subscriptions.length, limit);
      return { devices: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    },
  } satisfies SomeHandlers;
}

export function ownDevices(sql: Sql, { limits, addresses }: StoreSettings) {
  const byId = sql.get<{ id: number; session: Buffer }, OwnDeviceRow>(
    `${OWN_DEVICES} WHERE device.id = CAST(:id AS BIGINT)`,
  );
  const known = sql.get<{ id: number }, KnownAddress>(
    'SELECT platform, environment, token_kind, keys FROM device WHERE id = :id',
  );
  const userExists = sql.value<{ userId: number }, 1>('SELECT 1 FROM person WHERE id = :userId');
  const isFull = sql.value<{ userId: number; others: number }, 1>(
    'SELECT 1 FROM device WHERE user_id = CAST(:userId AS BIGINT) ORDER BY id LIMIT 1 OFFSET :others',
  );
  const rename = sql.run<{ id: number; name: string | null; appVersion: string | null }>(`
    UPDATE device SET name = coalesce(:name, name), app_version = coalesce(:appVersion, app_version) WHERE id = :id
  `);
  const giveToken = sql.run<{ id: number; tokenHash: Buffer }>(`
    INSERT INTO reporter (device_id, token_hash) VALUES (:id, :tokenHash)
    ON CONFLICT (device_id) DO UPDATE SET token_hash = excluded.token_hash
  `);
  const find = lookups(sql);
  const { register, readdress, own } = registrations(sql);

  async function read(id: number, actor: Actor | undefined): Promise<OwnDeviceRow> {
    const row = await byId({ id, session: sessionOf(actor) });
    if (row === undefined) throw new Error('a device that was just found is there');
    return row;
  }

  /** Finds the user's browser that had this endpoint; undefined: none. */
  async function replacedDevice(userId: number, endpoint = ''): Promise<number | undefined> {
    const token = endpointIn(endpoint)?.href;
    return token === undefined ? undefined : own(userId, { platform: 'web', token });
  }

  async function registered(id: number, isNew: boolean, tokenHash: string | null, actor: Actor | undefined) {
    if (tokenHash !== null) await giveToken({ id, tokenHash: Buffer.from(tokenHash, 'hex') });
    return { device: showDevice(await read(id, actor)), created: isNew };
  }

  return {
    async registerDevice({ userId, replaces, deviceTokenHash = null, ...device }, { wallMs }, actor) {
      const problem = newDeviceProblem(device, addresses);
      if (problem !== null) return invalidField(problem);
      if ((await userExists({ userId })) === undefined) return userGone();
      const replaced = await replacedDevice(userId, replaces);
      if (replaced !== undefined) {
        await readdress({ id: replaced, now: device, wallMs });
        return registered(replaced, false, deviceTokenHash, actor);
      }
      const isAtLimit = (await isFull({ userId, others: limits.devices - 1 })) === 1;
      if (isAtLimit && (await own(userId, storedAddress(device))) === undefined)
        return conflict('too_many_devices', { most: limits.devices });
      const { id, created } = await register({ userId, device, channelIds: [], wallMs });
      return registered(id, created, deviceTokenHash, actor);
    },

    async updateDevice({ userId, id: publicId, ...change }, { wallMs }, actor) {
      const id = await find.deviceOf(userId, publicId, actor);
      if (isRefusal(id)) return id;
      const { token, subscription, name, appVersion } = change;
      if (token === undefined && subscription === undefined) {
        const problem = name === undefined ? null : displayNameProblem(name);
        if (problem !== null) return invalidField(problem);
        await rename({ id, name: name === undefined ? null : displayName(name), appVersion: appVersion ?? null });
        return showDevice(await read(id, actor));
      }
      const now = addressOf(await known({ id }), change);
      const problem = newDeviceProblem(now, addresses);
      if (problem !== null) return invalidField(problem);
      await readdress({ id, now, wallMs });
      return showDevice(await read(id, actor));
    },
  } satisfies SomeHandlers;
}

/** Returns the device at its new address. iOS keeps environment and app, Android the token kind. */
function addressOf(row: KnownAddress | undefined, change: DeviceChange): NewDevice {
  if (row === undefined) throw new Error('a device that was just found is there');
  const { environment = row.environment, tokenKind = row.token_kind, ...otherFields } = change;
  const app = change.app ?? appOf(row.platform, row.keys);
  const iosFields = { ...(environment !== null && { environment }), ...(app !== null && { app }) };
  return { ...otherFields, platform: row.platform, tokenKind, ...iosFields };
}

function showDevice({ id: _, subscriptions, ...row }: OwnDeviceRow): OwnDevice {
  return {
    ...shownFields(row),
    subscriptions: wordsOf(subscriptions).map((place) => {
      const slash = place.indexOf('/');
      return { workspace: place.slice(0, slash), ...subscribedTo(place.slice(slash + 1)) };
    }),
  };
}

/** Most devices listed per channel. */
const MOST_DEVICES = 100;

interface SubscribedChannelRow extends ChannelFields {
  /** Public ids, separated by blanks. */
  readonly devices: string;
}

/** Channels that a person's devices subscribe to, also inactive ones, in the person's workspaces. */
export function ownSubscriptions(sql: Sql) {
  const channelBySlug = sql.value<{ workspaceId: number; slug: string }, number>(
    'SELECT id FROM channel WHERE workspace_id = :workspaceId AND slug = :slug',
  );
  const channels = sql.parts<
    { userId: number; workspaceId: number; after: string; status: string | null; pattern: string | null },
    SubscribedChannelRow
  >(`
    SELECT ${CHANNEL_FIELDS},
      (SELECT coalesce(string_agg(public_id, ' ' ORDER BY device_id), '') FROM (
         SELECT public_id, device_id FROM subscription JOIN device ON device.id = device_id
         WHERE subscription.user_id = CAST(:userId AS BIGINT) AND channel_id = channel.id
         ORDER BY device_id LIMIT ${MOST_DEVICES}) AS first) AS devices
    FROM channel WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND slug > CAST(:after AS TEXT)
      AND ${ifGiven('status', 'status = :status')} AND ${isLike('channel.name', 'channel.slug')}
    ORDER BY slug
  `);
  const find = lookups(sql);
  const subscribed = subscriptions(sql);

  async function resolve(asked: OwnSubscription, actor: Actor | undefined): Promise<[number, number] | Refusal> {
    const { userId, deviceId, workspace: slug, channel } = asked;
    const device = await find.deviceOf(userId, deviceId, actor);
    if (isRefusal(device)) return device;
    const workspace = await find.workspaceOf(userId, slug, actor);
    if (isRefusal(workspace)) return workspace;
    const channelId = await channelBySlug({ workspaceId: workspace.id, slug: channel });
    return channelId === undefined ? noChannel(channel, workspace) : [device, channelId];
  }

  return {
    async subscribe(asked, _, actor) {
      const found = await resolve(asked, actor);
      if (isRefusal(found)) return found;
      await subscribed.add(...found);
      await subscribed.mute(...found, storedMute(asked));
      return null;
    },

    async unsubscribe(asked, _, actor) {
      const found = await resolve(asked, actor);
      if (isRefusal(found)) return found;
      await subscribed.remove(...found);
      return null;
    },

    async listChannelsFor({ userId, workspace: slug, q, status = null, after = '', limit }, _, actor) {
      const workspace = await find.workspaceOf(userId, slug, actor);
      if (isRefusal(workspace)) return workspace;
      const parts = channels({ userId, workspaceId: workspace.id, after, status, pattern: searchPattern(q) });
      const { entries, hasMore } = await pageOf(parts, showChannel, ({ devices }) => devices.length, limit);
      return { channels: entries, next: hasMore ? (entries.at(-1)?.slug ?? null) : null };
    },
  } satisfies SomeHandlers;
}

function showChannel({ devices, ...channel }: SubscribedChannelRow): SubscribedChannel {
  return { ...shownChannel(channel), devices: wordsOf(devices) };
}
