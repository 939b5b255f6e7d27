/** An app's calls about its person's devices. Others' devices do not exist. */
import type { ApiSchema, BodyOf, QueryOf } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';
import { renewalOf } from './renewal.ts';

/** With subscriptions in all workspaces. */
export type OwnDevice = ApiSchema<'Device'>;
/** `devices`: the caller's subscribed ones, by public id; of many, first registered. */
export type SubscribedChannel = ApiSchema<'ChannelList'>['channels'][number];
/** Absent fields stay. `environment`, `tokenKind` and `app` belong to a new `token`. */
export type DeviceChange = BodyOf<'updateDevice'>;
/** A device of the caller, and a channel of one of the caller's workspaces. */
export interface OwnSubscription {
  readonly userId: number;
  readonly deviceId: string;
  readonly workspace: string;
  readonly channel: string;
}

/** `mutedUntil`: ISO 8601 with offset, checked. */
export type MuteRequest = BodyOf<'subscribe'>;

export const OWN_DEVICE_CALLS = {
  /**
   * Refused beyond the setting limits.devices, which imports and operators may exceed. `replaces`: the browser's
   * previous endpoint. The person's device there gets the new address, and keeps its name and subscriptions. Without
   * such a device, `replaces` is ignored. `deviceTokenHash`: of the device's new token (SHA-256, hex); null: it gets
   * none.
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
  /** Lists by first registration. `after`: the previous page's `next`. */
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
  /** Subscribes, and replaces the mutes: what is absent is not muted. */
  subscribe: call<OwnSubscription & MuteRequest, null | Refusal>({ internal: true, own: 'devices' }),
  unsubscribe: call<OwnSubscription, null | Refusal>({ canRevoke: true, internal: true, own: 'devices' }),
  /** Lists by slug; large pages are cut. `after`: the previous page's `next`. `q`: part of name or slug. */
  listChannelsFor: call<
    QueryOf<'listChannels'> & { userId: number; workspace: string },
    ApiSchema<'ChannelList'> | Refusal
  >({ reads: true, internal: true }),
};
