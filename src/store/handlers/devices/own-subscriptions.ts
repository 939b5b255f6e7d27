import { type Actor, isRefusal, type OwnSubscription, type Refusal, type SubscribedChannel } from '../../calls.ts';
import { noChannel } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import { CHANNEL_FIELDS, type ChannelFields, shownChannel } from '../channels.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { isLike, searchPattern } from '../search-pattern.ts';
import { wordsOf } from './devices.ts';
import { storedMute } from './mutes.ts';
import { subscriptions } from './subscriptions.ts';

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
