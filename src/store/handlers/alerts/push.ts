import { publicIdOf } from '../../../contract/public-id.ts';
import type { AlertState, Level, PushEvent, Urgency } from '../../../push.ts';

/**
 * What is stored with an event of what its pushes carry of its alert. UUIDs in hex. The last three are of reminders and
 * notices, which show another event in the alert's place.
 */
export interface StoredAlertPush {
  readonly alert: string;
  readonly state: AlertState;
  readonly reminder: number;
  readonly quiet: boolean;
  /** The name of who has the acknowledged alert that the event joins. */
  readonly by?: string;
  /**
   * Of an event that resolves the alert: the level by which it is muted, that of the alert. So it comes wherever that was
   * heard of.
   */
  readonly heardAs?: Level;
  /** Of a bundle: how many alerts are open. */
  readonly open?: number;
  /** The event that it shows. */
  readonly event?: string;
  /** When that was received. */
  readonly receivedAtMs?: number;
  /** Slug of the channel in which the alert was opened. */
  readonly channel?: string;
}

/** Columns of an event that decide on how it is shown. */
export interface StoredManner {
  /** As JSON; null: it belongs to no alert. */
  readonly alert: string | null;
  /** It goes out in quiet hours. */
  readonly quiet: 1 | null;
}

/** The level by which an event is muted. */
export function heardLevelOf({ level, alert }: Pick<StoredManner, 'alert'> & { readonly level: Level }): Level {
  const storedPush: StoredAlertPush | null = alert === null ? null : JSON.parse(alert);
  return storedPush?.heardAs ?? level;
}

/** What is stored of an event that is sent again: its alert may be in another state by now. */
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
