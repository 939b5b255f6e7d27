import type { ApiSchema, BodyOf, QueryOf } from '../../contract/api-types.ts';
import { call, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/** An app's calls about its person's devices. Others' devices do not exist. */

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

/** Receipts: device reports of shown pushes. */

const FIRST: readonly Topic[] = ['receipts'];
const QUEUE: readonly Topic[] = ['queue'];
const NOTHING: readonly Topic[] = [];

export const RECEIPT_CALLS = {
  /** Finds a device token's person; null: a wrong token. */
  findReporter: call<Reporter, { readonly userId: number } | null>({ reads: true, internal: true }),
  /** Stores up to `MOST_REPORTS` device reports, answered in order; unchanged ones are `recorded` too. */
  recordReceipts: call<{ readonly reports: readonly Receipt[] }, readonly ReceiptAnswer[]>({
    internal: true,
    invalidates: (answers) =>
      answers.some((answer) => answer.kind === 'recorded' && answer.isFirst) ? FIRST : NOTHING,
  }),
  /**
   * Gives up some late reports, and finds devices that thereby count as not showing (`silent`: public ids). A person's
   * other devices get the notice in the same transaction: once, even after a crash. `nextInMs`: when to call again, at
   * the latest; null: no device reports.
   */
  missReceipts: call<Record<string, never>, { readonly nextInMs: number | null; readonly silent: readonly string[] }>({
    internal: true,
    isStep: true,
    events: 'adds',
    invalidates: ({ silent }) => (silent.length > 0 ? QUEUE : NOTHING),
  }),
};

/** Reports per call: each changes up to three rows. */
export const MOST_REPORTS = 100;

export interface Reporter {
  /** The device's public id. */
  readonly id: string;
  /** SHA-256 of the device token, hex. */
  readonly tokenHash: string;
}

export interface Receipt extends Reporter {
  readonly publicId: string;
  /** The time by the device's clock. */
  readonly atMs: number;
  readonly opened: boolean;
}

export type ReceiptAnswer =
  /** `isFirst`: the device's first report. */
  | { readonly kind: 'recorded'; readonly workspaceId: number; readonly isFirst: boolean }
  | { readonly kind: 'no_device' }
  /** The event does not exist, is another device's, or wants no receipt. */
  | { readonly kind: 'no_event' };

/** Subscriptions renewed together with their device. */
export const RENEWED_AT_ONCE = 40;

/** Returns the call that renews more subscriptions of a moved or reactivated device. */
export function renewalOf({ id }: { readonly id: string }) {
  return { name: 'continueDevice', args: { id } };
}
