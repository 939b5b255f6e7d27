/** Calls of a person's app about its own devices. Others' devices do not exist for it. */
import type { ApiSchema, BodyOf, QueryOf } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import { renewalOf } from './renewal.ts';

/** With its subscriptions in all workspaces. */
export type OwnDevice = ApiSchema<'Device'>;
/** `devices`: those of the asker that are subscribed, by public id; of many, those that were registered first. */
export type SubscribedChannel = ApiSchema<'ChannelList'>['channels'][number];
/** The change of an own device. Absent fields stay. `environment`, `tokenKind` and `app` belong to a new `token`. */
export type DeviceChange = BodyOf<'updateDevice'>;
/** A device of the person who asks, and a channel of a workspace that this person belongs to. */
export interface OwnSubscription {
  readonly userId: number;
  readonly deviceId: string;
  readonly workspace: string;
  readonly channel: string;
}

/** `mutedUntil`: ISO 8601 with an offset, checked. */
export type MuteRequest = BodyOf<'subscribe'>;

export const OWN_DEVICE_CALLS = {
  /**
   * Refused beyond the setting limits.devices, which imports and operators may exceed. `replaces`: the endpoint that a
   * browser had before. The person's device there gets the new address, and keeps its name and subscriptions; where
   * there is none, it counts as left out. `deviceTokenHash`: of its new device token (SHA-256, hex); null: it gets none.
   */
  registerDevice: call<
    BodyOf<'registerDevice'> & { userId: number; deviceTokenHash?: string | null },
    { device: OwnDevice; created: boolean } | Refusal
  >({
    canRevoke: true,
    internal: true,
    own: 'devices',
    rest: (_, { device, created }) => (created ? null : renewalOf(device)),
  }),
  /** In the order of their first registration. `after`: the `next` of the page before. */
  listOwnDevices: call<{ userId: number; limit: number; after?: string }, ApiSchema<'DeviceList'> | Refusal>({
    reads: true,
    internal: true,
    offThread: true,
  }),
  updateDevice: call<DeviceChange & { userId: number; id: string }, OwnDevice | Refusal>({
    canRevoke: true,
    internal: true,
    own: 'devices',
    rest: ({ token, subscription }, device) =>
      token === undefined && subscription === undefined ? null : renewalOf(device),
  }),
  /** With what is muted from now on; what is absent is not. */
  subscribe: call<OwnSubscription & MuteRequest, null | Refusal>({ internal: true, own: 'devices' }),
  unsubscribe: call<OwnSubscription, null | Refusal>({ canRevoke: true, internal: true, own: 'devices' }),
  /**
   * In the order of their slugs; a page ends where it holds much. `after`: the `next` of the page before. `q`: what
   * their name or slug holds.
   */
  listChannelsFor: call<
    QueryOf<'listChannels'> & { userId: number; workspace: string },
    ApiSchema<'ChannelList'> | Refusal
  >({ reads: true, internal: true }),
};
