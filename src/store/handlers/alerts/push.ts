import { shownQuiet, storedLoudness } from '../../../contract/loudness.ts';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { AlertState, Level, PushEvent, Urgency } from '../../../push.ts';

/**
 * The alert part of an event's pushes, as stored. UUIDs in hex. The last three fields: reminders and notices show
 * another event.
 */
export interface StoredAlertPush {
  readonly alert: string;
  readonly state: AlertState;
  readonly reminder: number;
  /** The person who has the acknowledged alert that the event joins. */
  readonly by?: string;
  /** The level that mutes a resolving event: the alert's, so the event reaches all devices that got the alert. */
  readonly heardAs?: Level;
  /** The bundle's open alerts. */
  readonly open?: number;
  /** The shown event. */
  readonly event?: string;
  readonly receivedAtMs?: number;
  /** Slug of the alert's own channel. */
  readonly channel?: string;
  /** Name of the person on call. */
  readonly onCall?: string;
  /** That person could not be reached, so it rings for everyone. */
  readonly isUnreachable?: true;
}

/** Event columns that decide how it is shown. */
export interface StoredManner {
  /** JSON of a `StoredAlertPush`; null: no alert. */
  readonly alert: string | null;
  /** JSON of a `StoredQuiet`; null: it rings. */
  readonly quiet: string | null;
}

/** Returns the level that mutes an event. */
export function heardLevelOf({ level, alert }: Pick<StoredManner, 'alert'> & { readonly level: Level }): Level {
  const storedPush: StoredAlertPush | null = alert === null ? null : JSON.parse(alert);
  return storedPush?.heardAs ?? level;
}

interface ResentEvent extends StoredManner {
  readonly urgency: Urgency;
  readonly collapseKey: string | null;
  readonly alertState: AlertState | null;
  readonly takenBy: string | null;
}

/** Returns how an event is resent: its alert's state may have changed. */
export function storedAnew(event: ResentEvent, nowMs: number): StoredManner {
  const { alert, quiet, alertState: state, takenBy } = event;
  if (alert === null || state === null) return { alert, quiet };
  const { by: _, ...before }: StoredAlertPush = JSON.parse(alert);
  const isTaken = state === 'acknowledged';
  const push: StoredAlertPush = { ...before, state, ...(isTaken && takenBy !== null && { by: takenBy }) };
  const isEnd = before.heardAs !== undefined;
  return { alert: JSON.stringify(push), quiet: isEnd ? quiet : quietAnew(event, isTaken, nowMs) };
}

/** An event quiet for a taken alert rings if nobody has it. Other reasons stay. */
function quietAnew({ urgency, collapseKey, quiet, takenBy }: ResentEvent, isTaken: boolean, nowMs: number) {
  if (isTaken)
    return storedLoudness({ kind: 'event', urgency, collapseKey, alert: 'acknowledged', holder: takenBy, nowMs });
  return shownQuiet(quiet)?.reason === 'acknowledged' ? null : quiet;
}

export function mannerStored({ alert, quiet }: StoredManner): Pick<PushEvent, 'alert' | 'quiet' | 'quietReason'> {
  const reason = shownQuiet(quiet)?.reason;
  return {
    ...(reason !== undefined && { quiet: true, quietReason: reason }),
    ...(alert !== null && { alert: alertOf(JSON.parse(alert)) }),
  };
}

function alertOf({ alert, state, reminder, by, open, event, receivedAtMs, channel, onCall }: StoredAlertPush) {
  return {
    id: publicIdOf(alert),
    state,
    reminder,
    ...(by !== undefined && { by }),
    ...(open !== undefined && { open }),
    ...(event !== undefined && { shows: { publicId: publicIdOf(event), receivedAtMs: receivedAtMs ?? 0 } }),
    ...(channel !== undefined && { channel }),
    ...(onCall !== undefined && { onCall }),
  };
}
