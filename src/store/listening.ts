import { type Channel, isRefusal, type Refusal } from './calls.ts';
import { CHANNELS_OF_WORKSPACE } from './channels.ts';
import type { Db, Handlers } from './handlers.ts';
import { lookups } from './lookups.ts';
import type { Listening } from './people-calls.ts';
import { noChannel } from './refusals.ts';
import { subscriptions } from './subscriptions.ts';

/** On which channels a person's devices listen. Only those of the person's workspaces are there, inactive ones included. */
export function listening(db: Db): Handlers<'subscribe' | 'unsubscribe' | 'listChannelsFor'> {
  const channelBySlug = db
    .prepare<[number, string], number>('SELECT id FROM channel WHERE workspace_id = ? AND slug = ?')
    .pluck();
  const channels = db.prepare<[number], Channel>(CHANNELS_OF_WORKSPACE);
  const ears = db.prepare<{ userId: number; workspaceId: number }, { channel: string; device: string }>(`
    SELECT channel.slug AS channel, device.public_id AS device
    FROM device
    JOIN subscription ON subscription.device_id = device.id
    JOIN channel ON channel.id = subscription.channel_id
    WHERE device.user_id = :userId AND channel.workspace_id = :workspaceId ORDER BY device.id
  `);
  const find = lookups(db);
  const listens = subscriptions(db);

  function resolve({ userId, deviceId, workspace: slug, channel }: Listening): [number, number] | Refusal {
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
      listens.add(...found);
      return null;
    },

    unsubscribe(asked) {
      const found = resolve(asked);
      if (isRefusal(found)) return found;
      listens.remove(...found);
      return null;
    },

    listChannelsFor({ userId, workspace: slug }) {
      const workspace = find.workspaceOf(userId, slug);
      if (isRefusal(workspace)) return workspace;
      const byChannel = Map.groupBy(ears.all({ userId, workspaceId: workspace.id }), ({ channel }) => channel);
      return channels.all(workspace.id).map((channel) => ({
        ...channel,
        devices: (byChannel.get(channel.slug) ?? []).map(({ device }) => device),
      }));
    },
  };
}
