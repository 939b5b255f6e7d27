/**
 * The records of the store, with the names of the command line and the API. Times are ISO 8601 with an offset, or null.
 */
import type { DeviceAddress } from '../contract/addresses/address.ts';
import type { ApiSchema } from '../contract/api-types.ts';
import type { Route } from '../push.ts';

export interface Workspace {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly plan: string;
  readonly created_at: string;
}
export type WorkspaceWithUsage = ApiSchema<'ConnectionTest'>['workspace'];
export interface Plan {
  readonly name: string;
  /** null: unlimited. */
  readonly monthly_event_allowance: number | null;
}
export type Channel = ApiSchema<'Channel'>;
/**
 * `device_count` and `routes` count the active devices that are subscribed; `bound_keys` are those that may name only
 * some channels, this among them.
 */
export interface ShownChannel extends Channel {
  readonly created_at: string;
  readonly routes: readonly { readonly route: Route; readonly devices: number }[];
  readonly bound_keys: readonly { readonly id: string; readonly name: string }[];
  readonly last_event_at: string | null;
}
export type ApiKey = ApiSchema<'ApiKey'>;
export type ConnectionKey = ApiSchema<'ConnectionTest'>['key'];
export type Member = ApiSchema<'Member'>;
/** `channels`: those of the workspace that was asked about. */
export type Device = Omit<ApiSchema<'WorkspaceDevice'>, 'email'>;
/** The part of a channel that a person has muted on a device. */
export type Mute = Omit<ChannelMute, 'channel'>;
/** `channel`: its slug. */
export type ChannelMute = Device['mutes'][number];
/**
 * A route, and its quarantined devices (see push.ts) by the reason of their last refusal, the most frequent first. `paused_at`:
 * since when an operator lets nothing out; null: not paused. `live`: null where no server runs, or where it does not
 * use the route.
 */
export interface RouteState {
  readonly route: Route;
  readonly paused_at: string | null;
  readonly quarantined: readonly QuarantinedDevices[];
  readonly live: LiveRoute | null;
}
/**
 * The running server's knowledge of a route. `doubt`: devices are rejected, and it is unknown whether they are dead.
 */
export interface LiveRoute {
  readonly pause: RoutePause | null;
  readonly doubt: { readonly reason: string; readonly since: string } | null;
}
/** `words`: the system's, of a connection that was never made. */
export interface RoutePause extends Pick<PausedRoute, 'kind' | 'reason' | 'since'> {
  readonly words?: string;
}
type PausedRoute = ApiSchema<'StatisticsAnswer'>['paused_routes'][number];
/** `accepted_before`: how many of them were once accepted with the same token, which speaks against us. */
export interface QuarantinedDevices {
  readonly reason: string;
  readonly devices: number;
  readonly accepted_before: number;
  /** Since when the first of them is one. */
  readonly since: string;
}
export type EventText = ApiSchema<'EventText'>;
/**
 * `scheduled`: its time is to come. `queued`: it is sent, or was. `cancelled`: it was taken back. `restored`: its time had
 * not come when the store was restored from a backup, which ended it.
 */
export type EventState = Progress['state'];
/** The state of an event with its times. */
export type Progress = Pick<ApiSchema<'EventProgress'>, 'state' | 'send_at' | 'cancelled_at'>;
export type DeliveryCounts = ApiSchema<'Deliveries'>;
/** An event whose pushes on a route wait for the next start, as an error of pushctl kept them from being worked off. */
export type DeadLetter = ApiSchema<'EventInFull'>['set_aside'][number];

/** How many devices an event was never sent to for one reason. */
export type NeverTried = ApiSchema<'EventInFull'>['never_tried'][number];

/** Why a device got an event, or did not. */
export type DeviceResult = ApiSchema<'DeviceResult'>;
export type MemberResult = ApiSchema<'MemberResult'>;
/**
 * `device_id` is the device's public id, or null where the device is gone. `device` and `member`: its name and the email
 * address of whose it is, null also where they do not belong to the workspace any more. `attempts` lists every try,
 * oldest first. `kept_s`: for how many seconds the push service keeps it, if that is less than it was asked for.
 */
export type DeliveryLine = ApiSchema<'DeviceDelivery'>;
/** `title` and `level`: those of its newest event. */
export type Alert = ApiSchema<'Alert'>;

/** `months` has this month first, then the twelve before it. */
export type Usage = ApiSchema<'Usage'>;

export interface NewDevice extends DeviceAddress {
  readonly name?: string;
  readonly appVersion?: string;
  /** Channel slugs. */
  readonly subscribe?: readonly string[];
}
