import type { ApiSchema } from '../../../contract/api-types.ts';
import { type Quiet, shownQuiet } from '../../../contract/loudness.ts';
import type { StoredAlertPush, StoredManner } from '../alerts/push.ts';

/** Columns of an event that rings for one person alone. */
export interface RungEvent extends StoredManner {
  /** That person; null: everyone. */
  readonly onCall: number | null;
}

/** SQL: the columns of `RungEvent`. */
export const RUNG_FIELDS = 'event.quiet, event.alert, event.on_call AS "onCall"';

/** Returns who was on call; null: nobody, or it rang for everyone anyway. */
export function shownOnCall({ alert }: Pick<RungEvent, 'alert'>): ApiSchema<'EventOnCall'> | null {
  const push: Partial<StoredAlertPush> = alert === null ? {} : JSON.parse(alert);
  return push.onCall === undefined ? null : { name: push.onCall, reachable: push.isUnreachable !== true };
}

/** Returns why a person's devices, or all, get the event without a sound. */
export function quietFor(event: RungEvent, userId: number | null): Quiet | null {
  const { quiet, onCall } = event;
  if (quiet !== null || onCall === null || userId === null || userId === onCall) return shownQuiet(quiet);
  const by = shownOnCall(event)?.name;
  return { reason: 'not_on_call', ...(by !== undefined && { by }) };
}
