import type { Finding } from '../process/finding.ts';
import type { Route } from '../push.ts';
import type { AlertCounts, RoutePause } from '../store/calls.ts';
import type { StoredStatus } from '../store/stored-status.ts';

export interface ServerStatus {
  readonly version: string;
  readonly since: string;
  /** Without the path `/api`. */
  readonly url: string;
  /** The socket unit that systemd holds for it; null: it listens itself. */
  readonly socket: string | null;
  /** The address that redirects to HTTPS; null: none. */
  readonly redirects_from: string | null;
  readonly routes: readonly {
    readonly route: Route;
    readonly pause: RoutePause | null;
    readonly connections: number;
    /** Since this start; null: none. */
    readonly last_accepted_at: string | null;
  }[];
  readonly batches_in_flight: number;
  readonly findings: readonly Finding[];
  /** Open alerts; null: database unreachable. */
  readonly alerts: AlertCounts | null;
  /** The database's state; null: unreachable. */
  readonly stored: StoredStatus | null;
  /** The next automatic backup; null: none, or not yet known. */
  readonly next_backup_at: string | null;
  /** Memory of queued events' links, and its limit. */
  readonly links: { readonly bytes: number; readonly limit_bytes: number };
}
