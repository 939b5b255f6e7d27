import { toTimestampOrNull } from '../../../values/timestamp.ts';
import type { Progress } from '../../calls.ts';
import type { Sql } from '../../sql.ts';

/** Columns of a `StateRow`, for a SELECT from `event`. */
export const STATE_FIELDS = 'event.kind, event.cancelled_at AS "cancelledAtMs"';

export interface StateRow {
  readonly kind: string | null;
  readonly cancelledAtMs: number | null;
}

/** Condition on `event`: due, or never scheduled. */
export const HAS_COME = "coalesce(event.kind, '') NOT IN ('scheduled', 'cancelled', 'restored')";

type Shown = Omit<Progress, 'send_at'>;

/** An event ends with its channel and workspace, even if its row remains (cleanup-jobs.ts). */
export const IS_THERE = `(
  EXISTS (SELECT 1 FROM workspace WHERE workspace.id = event.workspace_id)
  AND (event.channel_id IS NULL OR EXISTS (SELECT 1 FROM channel WHERE channel.id = event.channel_id))
)`;

/** Some pushes wait or are in flight. Repeats the index `event_unfinished` literally, to use it. */
export const UNFINISHED = 'targeted > accepted + failed + unregistered + expired + withdrawn';

export function shownState({ kind, cancelledAtMs }: StateRow): Shown {
  const ended = cancelledAtMs === null ? 'queued' : 'cancelled';
  const state = kind === 'scheduled' || kind === 'restored' ? kind : ended;
  return { state, cancelled_at: toTimestampOrNull(cancelledAtMs) };
}

export function stateOfEvents(sql: Sql): (event: { readonly id: number }) => Promise<Shown> {
  const stateOf = sql.get<{ id: number }, StateRow>(`SELECT ${STATE_FIELDS} FROM event WHERE id = :id`);
  return async ({ id }) => shownState((await stateOf({ id })) ?? { kind: null, cancelledAtMs: null });
}
