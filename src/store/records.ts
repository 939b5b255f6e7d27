/** The store's records, with the API's names. Times are ISO 8601 with an offset, or null. */

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
/** `device_count`, `routes`: active subscribed devices; `bound_keys`: channel-bound keys that may name this one. */
export interface ShownChannel extends Channel {
  readonly created_at: string;
  readonly routes: readonly { readonly route: Route; readonly devices: number }[];
  readonly bound_keys: readonly { readonly id: string; readonly name: string }[];
  readonly last_event_at: string | null;
}
export type ApiKey = ApiSchema<'ApiKey'>;
export type Member = ApiSchema<'Member'>;
/** `channels`: of the requested workspace. */
export type Device = Omit<ApiSchema<'WorkspaceDevice'>, 'email'>;
/** A channel's part that a person muted on a device. */
export type Mute = Omit<ChannelMute, 'channel'>;
/** `channel`: its slug. */
export type ChannelMute = Device['mutes'][number];
/**
 * A route, and quarantined devices (push.ts) by their last refusal's reason, most frequent first. `paused_at`: since
 * when an operator paused it; null: not paused. `live`: null without a server, or if it does not use the route.
 */
export interface RouteState {
  readonly route: Route;
  readonly paused_at: string | null;
  readonly quarantined: readonly QuarantinedDevices[];
  readonly live: LiveRoute | null;
}
/** The running server's knowledge of a route. `doubt`: devices are rejected, perhaps not dead. */
/** Reasons of pauses that only the running server knows, by route. Operators' pauses are stored. */
export type LivePauses = Readonly<Partial<Record<Route, string>>>;

export interface LiveRoute {
  readonly pause: RoutePause | null;
  readonly doubt: { readonly reason: string; readonly since: string } | null;
}
/** `words`: the system's, if never connected. */
export interface RoutePause extends Pick<PausedRoute, 'kind' | 'reason' | 'since'> {
  readonly words?: string;
}
type PausedRoute = ApiSchema<'StatisticsAnswer'>['paused_routes'][number];
/** `accepted_before`: how many were once accepted with this token, which suggests our fault. */
export interface QuarantinedDevices {
  readonly reason: string;
  readonly devices: number;
  readonly accepted_before: number;
  /** The earliest of them. */
  readonly since: string;
}
export type EventText = ApiSchema<'EventText'>;
/**
 * `scheduled`: it is not due yet. `queued`: it is sent, or was. `cancelled`: somebody cancelled it. `restored`: it was
 * not due when the store was restored from a backup, which ended it.
 */
export type Progress = Pick<ApiSchema<'EventProgress'>, 'state' | 'send_at' | 'cancelled_at'>;
export type DeliveryCounts = ApiSchema<'Deliveries'>;
/** An event whose pushes on a route await the next start, because of an error of pushctl. */
export type DeadLetter = ApiSchema<'EventInFull'>['set_aside'][number];

/** How many devices never got an event, by reason. */
export type NeverTried = ApiSchema<'EventInFull'>['never_tried'][number];

/** Why a device got an event or not. */
export type DeviceResult = ApiSchema<'DeviceResult'>;
export type MemberResult = ApiSchema<'MemberResult'>;
/**
 * `device_id`: public id, null if gone. `device`, `member`: its name and its person's address, null if no longer in the
 * workspace. `attempts`: all, oldest first. `kept_s`: seconds the push service keeps it, if shorter than asked.
 */
export type DeliveryLine = ApiSchema<'DeviceDelivery'>;
/** `title`, `level`: its newest event's. */
export type Alert = ApiSchema<'Alert'>;

/** `months`: this one, then the twelve before. */
export type Usage = ApiSchema<'Usage'>;

export interface NewDevice extends DeviceAddress {
  readonly name?: string;
  readonly appVersion?: string;
  /** Channel slugs. */
  readonly subscribe?: readonly string[];
}

export interface Name {
  readonly value: string;
  readonly about: string;
}

export type NameQuery =
  | { readonly of: 'workspaces' | 'keys' | 'events' }
  | { readonly of: 'devices'; readonly prefix: string }
  /** Members' addresses. `workspace`: see below. */
  | { readonly of: 'members'; readonly workspace: string | null; readonly prefix: string }
  /** `workspace` null: all. */
  | { readonly of: 'channels' | 'heartbeats'; readonly workspace: string | null };
