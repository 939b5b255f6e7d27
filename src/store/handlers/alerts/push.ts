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
  readonly quiet: boolean;
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
  /** 1: the event goes out in quiet hours. */
  readonly quiet: 1 | null;
}

/** Returns the level by which an event is muted. */
export function heardLevelOf({ level, alert }: Pick<StoredManner, 'alert'> & { readonly level: Level }): Level {
  const storedPush: StoredAlertPush | null = alert === null ? null : JSON.parse(alert);
  return storedPush?.heardAs ?? level;
}

/** Returns the alert part of an event that is resent: its alert may be in another state by now. */
export function storedAnew(
  stored: string | null,
  urgency: Urgency,
  { alertState: state, takenBy }: { readonly alertState: AlertState | null; readonly takenBy: string | null },
): string | null {
  if (stored === null || state === null) return stored;
  const { by: _, ...before }: StoredAlertPush = JSON.parse(stored);
  const isTaken = state === 'acknowledged';
  const isEnd = before.heardAs !== undefined;
  const quiet = urgency === 'time_sensitive' && !isEnd ? isTaken : before.quiet;
  return JSON.stringify({ ...before, state, quiet, ...(isTaken && takenBy !== null && { by: takenBy }) });
}

export function mannerStored({ alert, quiet }: StoredManner): Pick<PushEvent, 'alert' | 'quiet'> {
  if (alert === null) return quiet === null ? {} : { quiet: true };
  const { quiet: isQuiet, heardAs: _, ...storedPush }: StoredAlertPush = JSON.parse(alert);
  return { ...(isQuiet && { quiet: isQuiet }), alert: alertOf(storedPush) };
}

function alertOf({
  alert,
  state,
  reminder,
  by,
  open,
  event,
  receivedAtMs,
  channel,
}: Omit<StoredAlertPush, 'quiet' | 'heardAs'>) {
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
