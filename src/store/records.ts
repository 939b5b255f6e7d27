/**
 * What the store shows of its things, in the names in which the command line and the API show them. Times are ISO 8601
 * with an offset, or null.
 */
import type { DeviceAddress } from '../contract/addresses/address.ts';
import type { InsistPolicy } from '../contract/insist.ts';
import type { QuietHours } from '../contract/quiet-hours.ts';
import type {
  AlertState,
  DeliveryState,
  Environment,
  EventRecord,
  Level,
  Platform,
  Role,
  Route,
  Scope,
} from '../push.ts';
import type { ShownFields } from './event-columns.ts';

export interface Workspace {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly plan: string;
  readonly created_at: string;
}
export interface WorkspaceWithUsage extends Omit<Workspace, 'created_at'> {
  readonly monthly_event_allowance: number | null;
  readonly events_this_month: number;
  readonly allowance_resets_at: string;
}
export interface Plan {
  readonly name: string;
  /** null: unlimited. */
  readonly monthly_event_allowance: number | null;
}
export interface Channel {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly device_count: number;
  /** In seconds; null: it does not insist. */
  readonly insist: InsistPolicy | null;
  readonly quiet: QuietHours | null;
}
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
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Slugs of the only channels that it may name; null: any. */
  readonly channels: readonly string[] | null;
  readonly status: 'active' | 'revoked' | 'expired';
  readonly burst_per_minute: number | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  /** Id of the key that was made to take its place; null: none. */
  readonly successor: string | null;
}
export type ConnectionKey = Pick<
  ApiKey,
  'id' | 'name' | 'scopes' | 'channels' | 'created_at' | 'expires_at' | 'last_used_at'
>;
export interface Member {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}
export interface Device {
  readonly id: string;
  readonly platform: Platform;
  readonly environment: Environment | null;
  /** Host of a browser's push service; null: no browser. */
  readonly push_service: string | null;
  /** The bundle ID that an iOS device named; null: it has that of `topic`, or is none. */
  readonly app: string | null;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly registered_at: string;
  /** Slugs of the channels of the workspace that was asked about. */
  readonly channels: readonly string[];
  /** Those of which its person has muted something there. */
  readonly mutes: readonly ChannelMute[];
}
/** Of a channel on a device: `min_level`: what is below it; `muted_until`: all, up to then. Null: nothing. */
export interface Mute {
  readonly min_level: Level | null;
  readonly muted_until: string | null;
}
/** `channel`: its slug. */
export interface ChannelMute extends Mute {
  readonly channel: string;
}
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
/** What the running server knows. `doubt`: devices are refused, and nothing says yet whether they are dead. */
export interface LiveRoute {
  readonly pause: RoutePause | null;
  readonly doubt: { readonly reason: string; readonly since: string } | null;
}
/** `words`: the system's, of a connection that was never made. */
export interface RoutePause {
  readonly kind: string;
  readonly reason: string;
  readonly words?: string;
  readonly since: string;
}
/** `accepted_before`: how many of them were once accepted with the same token, which speaks against us. */
export interface QuarantinedDevices {
  readonly reason: string;
  readonly devices: number;
  readonly accepted_before: number;
  /** Since when the first of them is one. */
  readonly since: string;
}
export interface EventText extends EventRecord, ShownFields {
  readonly workspace: string;
  readonly channel: string | null;
  readonly channel_name: string | null;
}
/**
 * `scheduled`: its time is to come. `queued`: it is sent, or was. `cancelled`: it was taken back. `restored`: its time had
 * not come when the store was restored from a backup, which ended it.
 */
export type EventState = 'scheduled' | 'queued' | 'cancelled' | 'restored';
/** What becomes of an event, and when. */
export interface Progress {
  readonly state: EventState;
  readonly send_at: string | null;
  readonly cancelled_at: string | null;
}
export interface DeliveryCounts extends Readonly<Record<DeliveryState, number>> {
  readonly fitted: number;
  readonly first_accepted_at: string | null;
  readonly last_accepted_at: string | null;
}
/** An event whose pushes on a route wait for the next start, as an error of pushctl kept them from being worked off. */
export interface DeadLetter {
  readonly route: Route;
  readonly reason: string;
  readonly at: string;
}
/**
 * `device_id` is the device's public id, or null where the device is gone. `device` and `member`: its name and the email
 * address of whose it is, null also where they do not belong to the workspace any more. `attempts` lists every try,
 * oldest first. `kept_s`: for how many seconds the push service keeps it, if that is less than it was asked for.
 */
export interface DeliveryLine {
  readonly device_id: string | null;
  readonly device: string | null;
  readonly member: string | null;
  readonly platform: Platform;
  readonly state: DeliveryState;
  readonly attempts: readonly { readonly at: string; readonly state: string; readonly reason: string | null }[];
  readonly reason: string | null;
  readonly at: string;
  readonly kept_s: number | null;
}
/** `title` and `level`: those of its newest event. */
export interface Alert {
  /** Public id of the event that opened it. */
  readonly id: string;
  readonly workspace: string;
  readonly channel: string;
  readonly channel_name: string;
  readonly state: AlertState;
  readonly title: string;
  readonly level: Level;
  /** Public id of its newest event. */
  readonly newest_event: string;
  readonly opened_at: string;
  /** When it expires, if nothing happens; null: it is not open. */
  readonly stops_at: string | null;
  readonly reminders: number;
  readonly reminded_at: string | null;
  /** Slugs of the channels that it has reached beside its own. */
  readonly escalated_to: readonly string[];
  readonly escalated_to_names: readonly string[];
  /** The channel that it reaches next, if nothing happens. */
  readonly next_escalation: { readonly at: string; readonly channel: string; readonly channel_name: string } | null;
  /** Name of a member or a key. */
  readonly acknowledged_by: string | null;
  readonly acknowledged_at: string | null;
  readonly snoozed_until: string | null;
  readonly ended_at: string | null;
  /** Name of a member or a key; else `sender`, `time`, `channel` or `restored`. */
  readonly ended_by: string | null;
}

/** `months` has this month first, then the twelve before it. */
export interface Usage {
  readonly monthly_event_allowance: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly resets_at: string;
  readonly months: readonly { readonly month: string; readonly events: number }[];
}

export interface NewDevice extends DeviceAddress {
  readonly name?: string;
  readonly appVersion?: string;
  /** Channel slugs. */
  readonly subscribe?: readonly string[];
}
