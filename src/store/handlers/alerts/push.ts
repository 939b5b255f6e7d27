import { shownQuiet, storedLoudness } from '../../../contract/loudness.ts';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { AlertState, Level, PushEvent, Urgency } from '../../../push.ts';

/**
 * The alert part of an event's pushes, as stored with the event. UUIDs in hex. The last three fields belong to
 * reminders and notices, which show another event in the alert's place.
 */
export interface StoredAlertPush {
  readonly alert: string;
  readonly state: AlertState;
  readonly reminder: number;
  /** The name of the person who has the acknowledged alert that the event joins. */
  readonly by?: string;
  /**
   * The level by which an event that resolves the alert is muted: the alert's level. So the event reaches every device
   * that the alert was not muted on.
   */
  readonly heardAs?: Level;
  /** The number of open alerts in a bundle. */
  readonly open?: number;
  /** The event that it shows. */
  readonly event?: string;
  /** When that event was received. */
  readonly receivedAtMs?: number;
  /** Slug of the channel in which the alert was opened. */
  readonly channel?: string;
}

/** Columns of an event that decide on how it is shown. */
export interface StoredManner {
  /** JSON of a `StoredAlertPush`; null: the event belongs to no alert. */
  readonly alert: string | null;
  /** JSON of a `StoredQuiet`; null: the event rings. */
  readonly quiet: string | null;
}

/** Returns the level by which an event is muted. */
export function heardLevelOf({ level, alert }: Pick<StoredManner, 'alert'> & { readonly level: Level }): Level {
  const storedPush: StoredAlertPush | null = alert === null ? null : JSON.parse(alert);
  return storedPush?.heardAs ?? level;
}

/** The event that is resent, and its alert as it is now. */
interface ResentEvent extends StoredManner {
  readonly urgency: Urgency;
  readonly collapseKey: string | null;
  readonly alertState: AlertState | null;
  readonly takenBy: string | null;
}

/** Returns how an event is resent: its alert may be in another state by now. */
export function storedAnew(event: ResentEvent, nowMs: number): StoredManner {
  const { alert, quiet, alertState: state, takenBy } = event;
  if (alert === null || state === null) return { alert, quiet };
  const { by: _, ...before }: StoredAlertPush = JSON.parse(alert);
  const isTaken = state === 'acknowledged';
  const push: StoredAlertPush = { ...before, state, ...(isTaken && takenBy !== null && { by: takenBy }) };
  const isEnd = before.heardAs !== undefined;
  return { alert: JSON.stringify(push), quiet: isEnd ? quiet : quietAnew(event, isTaken, nowMs) };
}

/** An event that was quiet since someone had its alert rings if no one has. Other reasons stay. */
function quietAnew({ urgency, collapseKey, quiet, takenBy }: ResentEvent, isTaken: boolean, nowMs: number) {
  if (isTaken)
    return storedLoudness({ kind: 'event', urgency, collapseKey, alert: 'acknowledged', holder: takenBy, nowMs });
  return shownQuiet(quiet)?.reason === 'acknowledged' ? null : quiet;
}

export function mannerStored({ alert, quiet }: StoredManner): Pick<PushEvent, 'alert' | 'quiet'> {
  return { ...(quiet !== null && { quiet: true }), ...(alert !== null && { alert: alertOf(JSON.parse(alert)) }) };
}

function alertOf({ alert, state, reminder, by, open, event, receivedAtMs, channel }: StoredAlertPush) {
  return {
    id: publicIdOf(alert),
    state,
    reminder,
    ...(by !== undefined && { by }),
    ...(open !== undefined && { open }),
    ...(event !== undefined && { shows: { publicId: publicIdOf(event), receivedAtMs: receivedAtMs ?? 0 } }),
    ...(channel !== undefined && { channel }),
  };
}
