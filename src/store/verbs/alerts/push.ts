import { publicIdOf } from '../../../contract/public-id.ts';
import type { AlertPush, AlertState } from '../../../push.ts';

/**
 * What is stored with an event of what its pushes carry of its alert. UUIDs in hex. The last three are of reminders and
 * notices, which show another event in the alert's place.
 */
export interface StoredAlertPush {
  readonly alert: string;
  readonly state: AlertState;
  readonly reminder: number;
  readonly quiet: boolean;
  /** Of a bundle: how many alerts are open. */
  readonly open?: number;
  /** The event that it shows. */
  readonly event?: string;
  /** When that was received. */
  readonly receivedAtMs?: number;
  /** Slug of the channel in which the alert was opened. */
  readonly channel?: string;
}

/** `stored`: the column `event.alert`. */
export function alertPushOf(stored: string | null): { readonly alert: AlertPush } | null {
  if (stored === null) return null;
  const { alert, state, reminder, quiet, open, event, receivedAtMs, channel } = JSON.parse(stored) as StoredAlertPush;
  return {
    alert: {
      id: publicIdOf(alert),
      state,
      reminder,
      quiet,
      ...(open !== undefined && { open }),
      ...(event !== undefined && { shows: { publicId: publicIdOf(event), receivedAtMs: receivedAtMs ?? 0 } }),
      ...(channel !== undefined && { channel }),
    },
  };
}
