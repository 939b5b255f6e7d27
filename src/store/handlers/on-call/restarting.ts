/** Moves the times at which alerts ring for everyone in the channels that they have reached. Their own follow in `alert`. */
import { ID_LIST } from '../../sql.ts';

/** `widen_after` of these channels starts at :fromMs; NULL: the alerts ring for everyone. */
export const RESTART_THERE = `
  UPDATE escalation SET widen_at = (
    SELECT CAST(:fromMs AS BIGINT) + 1000 * widen_after FROM channel WHERE channel.id = escalation.channel_id
  )
  WHERE event_id IN ${ID_LIST}`;

/** Adds the time that has passed since a column of the alerts. Precedes the change of that column. */
export const shiftThere = (since: 'acted_at' | 'set_at', now: ':steadyMs' | ':setAtMs') => `
  UPDATE escalation SET widen_at = widen_at + CAST(${now} AS BIGINT) - (
    SELECT ${since} FROM alert WHERE alert.event_id = escalation.event_id
  )
  WHERE widen_at IS NOT NULL AND event_id IN ${ID_LIST}`;
