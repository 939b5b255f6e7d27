import type { End } from '../../calls.ts';
import type { Connection } from '../connections.ts';

/** Told by triggers, in the transaction under way. */
const TOLD = `
  SELECT workspace_id AS "workspaceId", device_id AS "deviceId", channel_id AS "channelId", event_id AS "eventId"
  FROM told_end WHERE by = pg_current_xact_id_if_assigned()`;

const FORGET = 'DELETE FROM told_end WHERE by = pg_current_xact_id_if_assigned()';

/**
 * The ends that the call under way has told. Claims are made beside it, so no order says which were judged by it: all that
 * is handed out or on its way is called back, and the queue decides anew. What is claimed once the end is told was not
 * asked for before it, so it is not concerned.
 */
export function endsOver({ sql }: Connection): () => Promise<readonly End[]> {
  const told = sql.all<object, Omit<End, 'upTo'>>(TOLD);
  const forget = sql.run<object>(FORGET);
  return async () => {
    const ends = await told({});
    if (ends.length > 0) await forget({});
    return ends.map((end) => ({ ...end, upTo: Number.MAX_SAFE_INTEGER }));
  };
}
