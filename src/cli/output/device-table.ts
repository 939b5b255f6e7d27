import type { Device, OwnedDevice } from '../../store/calls.ts';
import { type Noun, thingView } from '../command.ts';
import { when } from './table.ts';

export const DEVICE: Noun<Device> = {
  name: 'device',
  plural: 'devices',
  columns: {
    ID: ({ id }) => id,
    PLATFORM: platformOf,
    NAME: ({ name }) => name,
    STATUS: statusOf,
    REGISTERED: ({ registered_at }) => when(registered_at),
    SHOWN: ({ last_shown_at: at }) => (at === null ? null : when(at)),
    CHANNELS: (device) => device.channels.map((channel) => channel + muteOf(channel, device)).join(' '),
  },
  empty: 'No devices yet. They come with the app, or by: pushctl device add <workspace> <email> …',
};

export const OWNED_DEVICE: Noun<OwnedDevice> = {
  ...DEVICE,
  columns: { ID: ({ id }) => id, MEMBER: ({ email }) => email, ...DEVICE.columns },
};

/** Returns a browser with its push service, or an iOS device's unusual environment and app. */
function platformOf({ platform, environment, push_service, app }: Device): string {
  const more = [environment === 'sandbox' ? environment : null, app, push_service].filter((text) => text !== null);
  return more.length === 0 ? platform : `${platform} (${more.join(', ')})`;
}

/** An active device may show nothing: its provider accepts, but nothing is reported. */
function statusOf({ status, inactive_reason: reason, not_showing_since: since }: Device): string {
  if (reason !== null) return `${status}: ${reason}`;
  return since === null || status === 'inactive' ? status : `not showing since ${when(since)}`;
}

/** Returns why a subscribed device may get nothing; blank: it gets all. */
function muteOf(channel: string, { mutes }: Device): string {
  const mute = mutes.find((candidate) => candidate.channel === channel);
  if (mute === undefined) return '';
  const { min_level, muted_until } = mute;
  const isMuted = muted_until !== null && Date.parse(muted_until) > Date.now();
  const what = [isMuted && `muted until ${when(muted_until)}`, min_level !== null && `from ${min_level} up`];
  const words = what.filter((word) => word !== false);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

export const deviceTable = thingView(DEVICE);
