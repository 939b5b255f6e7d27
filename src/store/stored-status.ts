import type { HeartbeatState } from '../contract/heartbeats.ts';
import type { Lane, Route } from '../push.ts';
import type { RouteState } from './records.ts';

/** The state in a database, also while no server runs. */
export interface StoredStatus {
  readonly queue: readonly {
    readonly lane: Lane;
    /** Pushes to be sent for the first time, at most; and for another try. */
    readonly waiting: number;
    readonly deferred: number;
    /** When the oldest event with such a push was accepted; null: nothing waits. */
    readonly oldest_at: string | null;
  }[];
  /** The start of the hour in which a push was last accepted, by route. */
  readonly acceptedHours: Readonly<Partial<Record<Route, string>>>;
  readonly lastBackup: KnownBackup | null;
  /** Earlier backups that the audit log still has, the newest first. */
  readonly earlierBackups: readonly KnownBackup[];
  readonly routes: readonly RouteState[];
  readonly deadLetter: NewestDeadLetter | null;
  readonly heartbeats: StoredHeartbeats;
  /** `on`: windows that are on; `first`: those of them that end first. */
  readonly maintenance: { readonly on: number; readonly first: readonly ChannelInMaintenance[] };
  readonly webhooks: StoredWebhooks;
  readonly notShowing: StoredNotShowing;
  /** Channels with Android devices that remind more often than FCM lets notifications through: the first of them. */
  readonly insistOften: readonly string[];
}

/** A window that is on, one of the first to end. `place`: `acme/ops`. */
export interface ChannelInMaintenance {
  readonly place: string;
  readonly until: string;
  readonly only: string | null;
}

export interface KnownBackup {
  readonly at: string;
  readonly file: string;
}

/** The newest dead letter, and how many there are. */
export interface NewestDeadLetter {
  readonly publicId: string;
  readonly route: Route;
  readonly reason: string;
  readonly count: number;
}

/** The number of active devices that are not showing, and the first of them by public id. */
export interface StoredNotShowing {
  readonly count: number;
  readonly first: readonly string[];
}

/** How many there are, what waits for them, and the first of those that take nothing. */
export interface StoredWebhooks {
  readonly active: number;
  readonly disabled: number;
  readonly waiting: number;
  readonly troubled: readonly TroubledWebhook[];
}
/** `reason`: why it was disabled, or the last failure of one that is failing since so long. */
export interface TroubledWebhook {
  readonly id: string;
  readonly workspace: string;
  readonly isDisabled: boolean;
  readonly reason: string;
  readonly failingSinceMs: number | null;
}

/** `down`: the first of those that are, by workspace and slug. */
export interface StoredHeartbeats {
  readonly counts: Readonly<Record<HeartbeatState, number>>;
  readonly down: readonly string[];
}
