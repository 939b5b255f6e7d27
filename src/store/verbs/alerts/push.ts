import { publicIdOf } from '../../../contract/public-id.ts';
import type { AlertState, PushEvent, Urgency } from '../../../push.ts';

/** What is stored with an event that goes out in quiet hours, and belongs to no alert. */
export const STORED_QUIET = JSON.stringify({ quiet: true });

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

/** What is stored of an event that is sent again: its alert may be in another state by now. */
export function storedAnew(stored: string | null, urgency: Urgency, state: AlertState | null): string | null {
  if (stored === null || state === null) return stored;
  const before: StoredAlertPush = JSON.parse(stored);
  const quiet = urgency === 'time_sensitive' ? state === 'acknowledged' : before.quiet;
  return JSON.stringify({ ...before, state, quiet });
}

/** `stored`: the column `event.alert`. */
export function alertPushOf(stored: string | null): Pick<PushEvent, 'alert' | 'quiet'> | null {
  if (stored === null) return null;
  const { quiet, ...its } = JSON.parse(stored) as StoredAlertPush | { readonly quiet: true };
  return { ...(quiet && { quiet }), ...('alert' in its && { alert: alertOf(its) }) };
}

function alertOf({ alert, state, reminder, open, event, receivedAtMs, channel }: Omit<StoredAlertPush, 'quiet'>) {
  return {
    id: publicIdOf(alert),
    state,
    reminder,
    ...(open !== undefined && { open }),
    ...(event !== undefined && { shows: { publicId: publicIdOf(event), receivedAtMs: receivedAtMs ?? 0 } }),
    ...(channel !== undefined && { channel }),
  };
}
