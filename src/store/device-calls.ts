/** What operators ask of the store about devices; the dashboard's routes ask some of it as well. */
import type { Environment, EventRecord, Platform, Route, TokenKind } from '../push.ts';
import type { OwnedDevice } from './people-calls.ts';
import type { Device, NewDevice } from './records.ts';
import type { Refusal } from './refusal.ts';

/** name: [arguments, answer] */
export interface DeviceCalls {
  addDevice: [NewDevice & { workspace: string; email: string }, { device: Device; created: boolean } | Refusal];
  /** Of a workspace's members, one member after the other, or of one. `after`: the `next` of the page before. */
  listDevices: [
    { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly OwnedDevice[]; next: string | null } | Refusal,
  ];
  /**
   * As lines of an import, with their tokens: of a workspace's members, or of one. Inactive devices are left out and
   * counted. The first page is told in the audit log. `after`: the `next` of the page before.
   */
  exportDevices: [
    { workspace: string; email?: string; limit: number; after?: string },
    { devices: readonly ExportedDevice[]; inactive: number; next: string | null } | Refusal,
  ];
  /** With `userId` only among this person's devices. */
  removeDevice: [{ id: string; userId?: number }, Device | Refusal];
  /**
   * On all of the channels, or where one of them is not there, on none. `workspace`: whose channels they are; needed
   * where the device's owner belongs to several. Answers the device with its channels of that workspace.
   */
  subscribeDevice: [DeviceChannels, { workspace: string; device: Device } | Refusal];
  unsubscribeDevice: [DeviceChannels, { workspace: string; device: Device } | Refusal];
  /**
   * Gives a device to another person, of a workspace that its owner belongs to. It stays on the channels of the
   * workspaces that this person belongs to, and gets there what is posted from now on; its other subscriptions end
   * (`ended`).
   */
  moveDevice: [{ id: string; email: string }, { device: OwnedDevice; from: string; ended: number } | Refusal];
  /** Ends some of the route's suspects that were refused for this reason; call again while there is `more`. */
  pruneDevices: [{ route: Route; reason: string }, { pruned: number; more: boolean }];
  /** Queues a test push to one device; counts no usage. With `userId` only to one of this person's. */
  testDevice: [{ id: string; userId?: number; uuid: string }, { event: EventRecord } | Refusal];
  /**
   * Devices that come from another system, for one member: all of them or none. `importId` is the caller's. They are
   * staged in parts, their lines in a growing order, and nobody sees anything of them. A part that is not followed by
   * another, or by the commit, within 15 minutes is dropped together with all before it.
   */
  stageImport: [ImportPlace & { lines: readonly ImportLine[] }, { staged: number } | Refusal];
  /**
   * Decides: refused where a line is wrong, else all `devices` (a token that stands in two lines counts twice) will be
   * registered.
   */
  commitImport: [ImportPlace, { devices: number } | Refusal];
  /**
   * Registers some of a committed import; call again until `done`. Where nobody does, the server's housekeeping goes
   * on. The counts are those of the whole import so far; a member who was removed meanwhile gets no more.
   */
  registerImported: [{ importId: string }, { done: boolean; imported: number; updated: number } | Refusal];
  /** Nothing comes of an import that is not committed. */
  dropImport: [{ importId: string }, null];
}

/** As `device import` takes it. */
export interface ExportedDevice {
  readonly platform: Platform;
  readonly token: string;
  readonly token_kind?: TokenKind;
  /** What its address consists of besides the token. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly environment?: Environment;
  readonly name: string;
  readonly app_version?: string;
  readonly subscribe: readonly string[];
}
export interface DeviceChannels {
  readonly id: string;
  readonly workspace?: string;
  /** Slugs. */
  readonly channels: readonly string[];
}
export interface ImportPlace {
  readonly importId: string;
  readonly workspace: string;
  readonly email: string;
}
/** `line`: its number in the file, from 1. */
export interface ImportLine {
  readonly line: number;
  readonly device: NewDevice;
}
