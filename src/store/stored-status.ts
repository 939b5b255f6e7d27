import type { ApiSchema } from '../contract/api-types.ts';
import type { HeartbeatState } from '../contract/heartbeats.ts';
import type { Lane, Route } from '../push.ts';
import type { RouteState } from './records.ts';

/** A database's state, also offline. */
export interface StoredStatus {
  readonly queue: readonly {
    readonly lane: Lane;
    /** Pushes to be sent for the first time, at most; and for another attempt. */
    readonly waiting: number;
    readonly deferred: number;
    /** The acceptance of the oldest such event; null: none waits. */
    readonly oldest_at: string | null;
  }[];
  /** The hour in which a push was last accepted, by route. */
  readonly acceptedHours: Readonly<Partial<Record<Route, string>>>;
  readonly lastBackup: KnownBackup | null;
  /** Earlier audited backups, newest first. */
  readonly earlierBackups: readonly KnownBackup[];
  readonly routes: readonly RouteState[];
  readonly deadLetter: NewestDeadLetter | null;
  readonly heartbeats: StoredHeartbeats;
  /** `on`: current windows; `first`: first to end. */
  readonly maintenance: { readonly on: number; readonly first: readonly ChannelInMaintenance[] };
  readonly webhooks: StoredWebhooks;
  readonly notShowing: StoredNotShowing;
  readonly unreachable: StoredUnreachable;
  /** The first channels with Android devices that remind more often than FCM delivers. */
  readonly insistOften: readonly string[];
  /** Null: the wall clock counts as right. */
  readonly ageHold: StoredAgeHold | null;
}

/** A current window, among the first to end. `place`: `acme/ops`. */
interface ChannelInMaintenance {
  readonly place: string;
  readonly until: string;
  readonly only: string | null;
}

export interface KnownBackup {
  readonly at: string;
  readonly file: string;
}

/** The newest dead letter, and their number. */
export interface NewestDeadLetter {
  readonly publicId: string;
  readonly route: Route;
  readonly reason: string;
  readonly count: number;
}

/**
 * While only time at work makes data old, since the wall clock was set forward. `lastAt`: the clock before. `leftMs`:
 * time at work until the clock counts as right.
 */
export interface StoredAgeHold {
  readonly lastAt: string;
  readonly leftMs: number;
}

/** The number of active devices not showing, and the first by public id. */
interface StoredNotShowing {
  readonly count: number;
  readonly first: readonly string[];
}

/** The number of members of rotas whom alerts of a channel cannot wake, and the first. */
export type StoredUnreachable = ApiSchema<'StatisticsAnswer'>['stats']['on_call_unreachable'];

/** The number, their waiting messages, and the first that take nothing. */
export interface StoredWebhooks {
  readonly active: number;
  readonly disabled: number;
  readonly waiting: number;
  readonly troubled: readonly TroubledWebhook[];
}
/** `reason`: why it was disabled, or its last failure. */
export interface TroubledWebhook {
  readonly id: string;
  readonly workspace: string;
  readonly isDisabled: boolean;
  readonly reason: string;
  readonly failingSinceMs: number | null;
}

/** `down`: the first by workspace and slug. */
export interface StoredHeartbeats {
  readonly counts: Readonly<Record<HeartbeatState, number>>;
  readonly down: readonly string[];
}
