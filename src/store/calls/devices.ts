/** Calls of operators about devices. The dashboard's routes use some of them too. */
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
   * Lists devices of one member, or of all members of a workspace in order. `q`: a part of a device's name, or of the
   * name or address of its person. `channel`: only subscribed devices. `after`: the `next` of the previous page.
   */
  listDevices: call<
    DeviceFilter & { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal
  >({
    reads: true,
    offThread: true,
  }),
  /** A device of one of the workspace's members. */
  showDevice: call<{ workspace: string; id: string }, OwnedDevice | Refusal>({ reads: true }),
  /**
   * Exports the devices of one member or of a workspace as lines of an import, with their tokens. Inactive devices are
   * left out and counted. `after`: the `next` of the previous page. The first page is written to the audit log like a
   * change, since it shows secrets.
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
  /** With `userId` only among this person's devices. */
  removeDevice: call<{ id: string; userId?: number }, Device | Refusal>({
    canRevoke: true,
    own: 'devices',
    audit: (_, { id }) => change('device.remove', null, id),
  }),
  /**
   * On all of the channels, or where one of them is not there, on none. `workspace`: whose channels they are; needed
   * where the device's owner belongs to several. Answers the device with its channels of that workspace. Of the devices
   * of owners, only owners and operators decide.
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
   * Gives a device to another person, of a workspace that its owner belongs to. It stays on the channels of the
   * workspaces that this person belongs to, and gets there what is posted from now on; its other subscriptions end
   * (`ended`).
   */
  moveDevice: call<{ id: string; email: string }, { device: OwnedDevice; from: string; ended: number } | Refusal>({
    canRevoke: true,
    own: 'devices',
    rest: (_, { device }) => renewalOf(device),
    audit: (_, { device: { id, email }, from }) =>
      email === from ? null : change('device.move', null, `${id} from ${from} to ${email}`),
  }),
  /**
   * Renews more of the subscriptions of a device that was moved, or is active again; call again until `done`. Clients do
   * so by themselves, and so does the server's housekeeping.
   */
  continueDevice: call<{ id: string }, { done: boolean }>({
    canRevoke: true,
    isStep: true,
    isFollowUp: true,
    rest: ({ id }, { done }) => (done ? null : renewalOf({ id })),
    audit: null,
  }),
  /** Ends some of the quarantined devices of the route that were refused for this reason; call again while there is `more`. */
  pruneDevices: call<{ route: Route; reason: string }, { pruned: number; more: boolean }>({
    canRevoke: true,
    isStep: true,
    invalidates: ['routes'],
    audit: ({ route, reason }, { pruned }) =>
      pruned === 0 ? null : change('device.prune', null, `${pruned} of ${route}: ${reason}`),
  }),
  /**
   * Queues a test push to one device; counts no usage. With `userId` only to one of this person's: that is no change of
   * the workspace.
   */
  testDevice: call<{ id: string; userId?: number; uuid: string }, { event: EventRecord } | Refusal>({
    events: 'adds',
    invalidates: ['queue'],
    audit: ({ id, userId }, { event }) =>
      userId === undefined ? change('device.test', null, `${id} by ${event.public_id}`) : null,
  }),
  /**
   * Devices that come from another system, for one member: all of them or none. `importId` is the caller's. They are
   * staged in parts, their lines in a growing order, and no reader sees any of them. A part that is not followed by
   * another, or by the commit, within 15 minutes is dropped together with all before it.
   */
  stageImport: call<ImportTarget & { lines: readonly ImportLine[] }, { staged: number } | Refusal>({
    isStep: true,
    audit: null,
  }),
  /**
   * Decides: refused where a line is wrong, else all `devices` (a token that stands in two lines counts twice) will be
   * registered.
   */
  commitImport: call<ImportTarget, { devices: number } | Refusal>({
    invalidates: ['cleanup'],
    audit: ({ workspace, email }, { devices }) =>
      change('device.import', workspace, `${devices} of ${canonicalEmail(email)}`),
  }),
  /**
   * Registers some of a committed import; call again until `done`. Where none does, the server's housekeeping goes
   * on. The counts are those of the whole import so far; a member who was removed meanwhile gets no more.
   */
  registerImported: call<{ importId: string }, { done: boolean; imported: number; updated: number } | Refusal>({
    canRevoke: true,
    isStep: true,
    audit: null,
  }),
  /** Nothing comes of an import that is not committed. */
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
  /** Mutes of channels; absent: none is muted. */
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
/** `mutes`: of channels that it is subscribed to; what is muted of others stays as it is. */
export type ImportedDevice = NewDevice & { readonly mutes?: readonly ChannelMute[] };
/** `line`: its number in the file, from 1. `mistake`: why no device could be made of it, as a sentence. */
export type ImportLine = { readonly line: number } & (
  | { readonly device: ImportedDevice }
  | { readonly mistake: string }
);
