import { personIdOf } from '../../../contract/public-id.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Notified } from '../../calls/inbox.ts';
import type { Sql } from '../../sql.ts';
import { shownName } from './shown-name.ts';

const MOST = 100;
/** Most deliveries examined, for any number of devices. */
const MOST_DELIVERIES = 2000;

/**
 * The alert's event, and channels' latest reminders. A reminder covers all of its channel's open alerts; one caused by
 * escalations belongs to an escalated alert.
 */
const LATEST_PUSHES = `
  SELECT alert.newest_event_id FROM alert WHERE alert.event_id = CAST(:alertId AS BIGINT)
  UNION
  SELECT max(reminder.id) FROM alert
  JOIN event AS reminder ON reminder.kind = 'reminder' AND reminder.id > alert.event_id
    AND reminder.received_at <= coalesce(alert.acknowledged_at, alert.ended_at, reminder.received_at)
    AND (reminder.channel_id = alert.channel_id OR reminder.channel_id IN (
      SELECT channel_id FROM escalation WHERE escalation.event_id = alert.event_id
    ))
  JOIN alert AS origin ON origin.event_id = reminder.alert_id AND origin.channel_id = alert.channel_id
  WHERE alert.event_id = CAST(:alertId AS BIGINT) GROUP BY reminder.channel_id`;

const REACHED = `
  SELECT person.id, person.name, person.email, max(at) AS "atMs" FROM (
    SELECT device_id, workspace_id, at FROM delivery
    WHERE event_id IN (${LATEST_PUSHES}) AND state = 'accepted' LIMIT ${MOST_DELIVERIES}
  ) AS accepted
  JOIN device ON device.id = device_id
  JOIN member ON member.user_id = device.user_id AND member.workspace_id = accepted.workspace_id
  JOIN person ON person.id = member.user_id
  GROUP BY person.id, person.name, person.email ORDER BY max(at) DESC, person.id LIMIT ${MOST}`;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly atMs: number;
}

/** Returns the members whose devices an alert reached (accepted pushes), and when last. */
export function reachedMembers(sql: Sql): (event: { readonly alertId: number | null }) => Promise<readonly Notified[]> {
  const reached = sql.all<{ alertId: number }, Row>(REACHED);

  return async ({ alertId }) => {
    if (alertId === null) return [];
    return (await reached({ alertId })).map(({ atMs, ...person }) => ({
      id: personIdOf(person.id),
      name: shownName(person),
      at: toTimestamp(atMs),
    }));
  };
}
