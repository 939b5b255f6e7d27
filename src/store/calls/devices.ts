/** Operators' calls about devices, some also used by the dashboard. */
import type { BrowserSubscription } from '../../contract/addresses/address.ts';
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { canonicalEmail } from '../../contract/names.ts';
import type { Environment, EventRecord, Platform, Route, TokenKind } from '../../push.ts';
import { call, change } from '../call.ts';
import type { ChannelMute, Device, NewDevice } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import { renewalOf } from './renewal.ts';

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
   * Lists one member's devices, or all in order. `q`: part of the device's or person's name, or address. `channel`:
   * only subscribed. `after`: the previous page's `next`.
   */
  listDevices: call<
    DeviceFilter & { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal
  >({
    reads: true,
    offThread: true,
  }),
  /** A workspace member's device. */
  showDevice: call<{ workspace: string; id: string }, OwnedDevice | Refusal>({ reads: true }),
  /**
   * Exports devices as lines of an import, with tokens. Inactive devices are only counted. `after`: the previous page's
   * `next`. The first page is audited like a change, since it shows secrets.
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
   * Subscribes to all of the channels, or to none if one is missing. `workspace`: required if the device's owner
   * belongs to several. Only owners and operators decide on owners' devices.
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
   * Gives a device to a person of its owner's workspaces. Subscriptions in that person's workspaces stay, for events
   * from now on; others end (`ended`).
   */
  moveDevice: call<{ id: string; email: string }, { device: OwnedDevice; from: string; ended: number } | Refusal>({
    canRevoke: true,
    own: 'devices',
    rest: (_, { device }) => renewalOf(device),
    audit: (_, { device: { id, email }, from }) =>
      email === from ? null : change('device.move', null, `${id} from ${from} to ${email}`),
  }),
  /**
   * Renews more subscriptions of a moved or reactivated device, until `done`. Clients call it, and so does the server's
   * housekeeping.
   */
  continueDevice: call<{ id: string }, { done: boolean }>({
    canRevoke: true,
    isStep: true,
    isFollowUp: true,
    rest: ({ id }, { done }) => (done ? null : renewalOf({ id })),
    audit: null,
  }),
  /** Ends some of the route's devices quarantined for this reason; repeat while `more`. */
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
   * order, unseen by readers. After 15 minutes without another part or the commit, all parts are dropped.
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
   * Registers some of a committed import, until `done`. Housekeeping continues abandoned ones. Counts are of the whole
   * import; removed members get no more.
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
export interface DeviceChannels {
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
/** `line`: in the file, from 1. `mistake`: why it makes no device, as a sentence. */
export type ImportLine = { readonly line: number } & (
  | { readonly device: ImportedDevice }
  | { readonly mistake: string }
);
