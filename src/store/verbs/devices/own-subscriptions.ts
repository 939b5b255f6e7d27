import { type Channel, isRefusal, type Refusal } from '../../calls.ts';
import type { ListenedChannel, OwnSubscription } from '../../people-calls.ts';
import { noChannel } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { CHANNEL_FIELDS } from '../channels.ts';
import { lookups } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { subscriptions } from './subscriptions.ts';

/** Of somebody with more devices on a channel, the first so many are told. */
const MOST_DEVICES = 100;

interface ListenedChannelRow extends Channel {
  /** A JSON array of public ids. */
  readonly devices: string;
}

/**
 * On which channels a person's devices listen. Only those of the person's workspaces are there, inactive ones included.
 */
export function ownSubscriptions(db: Db): Handlers<'subscribe' | 'unsubscribe' | 'listChannelsFor'> {
  const channelBySlug = db
    .prepare<[number, string], number>('SELECT id FROM channel WHERE workspace_id = ? AND slug = ?')
    .pluck();
  const channels = db.prepare<{ userId: number; workspaceId: number; after: string }, ListenedChannelRow>(`
    SELECT ${CHANNEL_FIELDS},
      (SELECT json_group_array(public_id) FROM (
         SELECT public_id FROM subscription JOIN device ON device.id = device_id
         WHERE subscription.user_id = :userId AND channel_id = channel.id
         ORDER BY device_id LIMIT ${MOST_DEVICES})) AS devices
    FROM channel WHERE workspace_id = :workspaceId AND slug > :after ORDER BY slug
  `);
  const find = lookups(db);
  const subscribed = subscriptions(db);

  function resolve({ userId, deviceId, workspace: slug, channel }: OwnSubscription): [number, number] | Refusal {
    const device = find.deviceOf(userId, deviceId);
    if (isRefusal(device)) return device;
    const workspace = find.workspaceOf(userId, slug);
    if (isRefusal(workspace)) return workspace;
    const channelId = channelBySlug.get(workspace.id, channel);
    return channelId === undefined ? noChannel(channel, workspace) : [device, channelId];
  }

  return {
    subscribe(asked) {
      const found = resolve(asked);
      if (isRefusal(found)) return found;
      subscribed.add(...found);
      return null;
    },

    unsubscribe(asked) {
      const found = resolve(asked);
      if (isRefusal(found)) return found;
      subscribed.remove(...found);
      return null;
    },

    listChannelsFor({ userId, workspace: slug, after = '' }) {
      const workspace = find.workspaceOf(userId, slug);
      if (isRefusal(workspace)) return workspace;
      const rows = channels.iterate({ userId, workspaceId: workspace.id, after });
      const { entries, hasMore } = pageOf(rows, shown, ({ devices }) => devices.length);
      return { channels: entries, next: hasMore ? (entries.at(-1)?.slug ?? null) : null };
    },
  };
}

function shown({ devices, ...channel }: ListenedChannelRow): ListenedChannel {
  return { ...channel, devices: JSON.parse(devices) as string[] };
}
