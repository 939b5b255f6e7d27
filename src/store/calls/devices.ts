/** Operators' calls about devices, some also used by the dashboard. */
import type { BrowserSubscription } from '../../contract/addresses/address.ts';
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { canonicalEmail } from '../../contract/names.ts';
import type { Environment, EventRecord, Platform, Route, TokenKind } from '../../push.ts';
import { call, change } from '../call.ts';
import type { ChannelMute, Device, NewDevice } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import { renewalOf } from './own-devices.ts';

export type OwnedDevice = ApiSchema<'WorkspaceDevice'>;

export const DEVICE_CALLS = {
  addDevice: call<NewDevice & { workspace: string; email: string }, { device: Device; created: boolean } | Refusal>({
    canRevoke: true,
    own: 'devices',
    rest: (_, { device, created }) => (created ? null : renewalOf(device)),
    audit: ({ workspace, email }, { device }) =>
      change('device.add', workspace, `${device.id} of ${canonicalEmail(email)}`),
  }),
  /**
   * Lists a member's or a workspace's devices, in order. `q`: part of a device's name, or of its person's name or
   * address. `channel`: only subscribed ones. `after`: the previous page's `next`.
   */
  listDevices: call<
    DeviceFilter & { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal
  >({
    reads: true,
    offThread: true,
  }),
  showDevice: call<{ workspace: string; id: string }, OwnedDevice | Refusal>({ reads: true }),
  /**
   * Exports a member's or a workspace's devices as lines of an import, with tokens. Inactive ones are left out and
   * counted. `after`: the previous page's `next`. The first page is audited like a change: it shows secrets.
   */
  exportDevices: call<
    { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly ExportedDevice[]; inactive: number; next: string | null } | Refusal
  >({
    audit: ({ workspace, email, after }) =>
      after !== undefined
        ? null
        : change('device.export', workspace, email === undefined ? 'of all members' : `of ${canonicalEmail(email)}`),
  }),
  /** `userId`: only this person's devices. */
  removeDevice: call<{ id: string; userId?: number }, Device | Refusal>({
    canRevoke: true,
    own: 'devices',
    audit: (_, { id }) => change('device.remove', null, id),
  }),
  /**
   * Subscribes the device to all of the channels, or to none if one is missing. `workspace`: whose channels they are;
   * required if the device's owner belongs to several. Returns the device with its channels of that workspace. Only
   * owners and operators decide on owners' devices.
   */
  subscribeDevice: call<DeviceChannels, { workspace: string; device: Device } | Refusal>({
    own: 'devices',
    audit: ({ id, channels }, { workspace }) =>
      change('device.subscribe', workspace, `${id} to ${channels.join(', ')}`),
  }),
  unsubscribeDevice: call<DeviceChannels, { workspace: string; device: Device } | Refusal>({
    canRevoke: true,
    own: 'devices',
    audit: ({ id, channels }, { workspace }) =>
      change('device.unsubscribe', workspace, `${id} from ${channels.join(', ')}`),
  }),
  /**
   * Gives a device to a person of one of its owner's workspaces. Subscriptions in that person's workspaces stay, for
   * events from now on; others end (`ended`), as does the device token.
   */
  moveDevice: call<{ id: string; email: string }, { device: OwnedDevice; from: string; ended: number } | Refusal>({
    canRevoke: true,
    own: 'devices',
    rest: (_, { device }) => renewalOf(device),
    audit: (_, { device: { id, email }, from }) =>
      email === from ? null : change('device.move', null, `${id} from ${from} to ${email}`),
  }),
  /**
   * Renews more subscriptions of a moved or reactivated device; call again until `done`. Clients call it by themselves,
   * and so does the server's housekeeping.
   */
  continueDevice: call<{ id: string }, { done: boolean }>({
    canRevoke: true,
    isStep: true,
    isFollowUp: true,
    rest: ({ id }, { done }) => (done ? null : renewalOf({ id })),
    audit: null,
  }),
  /** Ends some of the route's quarantined devices that were refused for this reason; call again while `more`. */
  pruneDevices: call<{ route: Route; reason: string }, { pruned: number; more: boolean }>({
    canRevoke: true,
    isStep: true,
    invalidates: ['routes'],
    audit: ({ route, reason }, { pruned }) =>
      pruned === 0 ? null : change('device.prune', null, `${pruned} of ${route}: ${reason}`),
  }),
  /**
   * Queues a test push to a device; counts no usage. `userId`: only the person's own device; no change of the
   * workspace.
   */
  testDevice: call<{ id: string; userId?: number; uuid: string }, { event: EventRecord } | Refusal>({
    events: 'adds',
    invalidates: ['queue'],
    audit: ({ id, userId }, { event }) =>
      userId === undefined ? change('device.test', null, `${id} by ${event.public_id}`) : null,
  }),
  /**
   * Imports devices for one member: all or none. `importId` is the caller's. Parts are staged with lines in growing
   * order, and no reader sees them. If neither another part nor the commit follows within 15 minutes, all parts are
   * dropped.
   */
  stageImport: call<ImportTarget & { lines: readonly ImportLine[] }, { staged: number } | Refusal>({
    isStep: true,
    audit: null,
  }),
  /** Decides: refused if a line is wrong; otherwise registers all `devices` (repeated tokens count per line). */
  commitImport: call<ImportTarget, { devices: number } | Refusal>({
    invalidates: ['cleanup'],
    audit: ({ workspace, email }, { devices }) =>
      change('device.import', workspace, `${devices} of ${canonicalEmail(email)}`),
  }),
  /**
   * Registers some of a committed import's devices; call again until `done`, else housekeeping continues. Counts are
   * the whole import's so far. A member removed meanwhile gets no more devices.
   */
  registerImported: call<{ importId: string }, { done: boolean; imported: number; updated: number } | Refusal>({
    canRevoke: true,
    isStep: true,
    audit: null,
  }),
  /** Drops an uncommitted import. */
  dropImport: call<{ importId: string }, null>({ audit: null }),
};

/** A device in the form of `device import`. */
export interface ExportedDevice {
  readonly platform: Platform;
  readonly token?: string;
  readonly token_kind?: TokenKind;
  readonly subscription?: BrowserSubscription;
  readonly environment?: Environment;
  readonly app?: string;
  readonly name: string;
  readonly app_version?: string;
  readonly subscribe: readonly string[];
  /** Absent: nothing is muted. */
  readonly mutes?: readonly ChannelMute[];
}
export type DeviceFilter = Pick<QueryOf<'listMembersDevices'>, 'q' | 'platform' | 'status' | 'channel'>;
interface DeviceChannels {
  readonly id: string;
  readonly workspace?: string;
  /** Slugs. */
  readonly channels: readonly string[];
}
export interface ImportTarget {
  readonly importId: string;
  readonly workspace: string;
  readonly email: string;
}
/** `mutes`: of subscribed channels; other mutes stay. */
export type ImportedDevice = NewDevice & { readonly mutes?: readonly ChannelMute[] };
/** `line`: its number in the file, from 1. `mistake`: why no device could be made of it, as a sentence. */
export type ImportLine = { readonly line: number } & (
  | { readonly device: ImportedDevice }
  | { readonly mistake: string }
);
