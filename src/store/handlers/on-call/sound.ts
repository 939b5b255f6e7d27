/**
 * SQL: the `OnCallPlan` of a channel with a rota, as JSON; NULL: no rota. Same rule: `on_call_plan` (PostgreSQL). The
 * timeline has the same overrides (`rotaTimelines`).
 */
export const PLAN_OF_CHANNEL = `CASE WHEN rota_id IS NOT NULL THEN (
    SELECT json_object('rota', json_object(
        'timezone', timezone, 'members', json(members), 'startsOn', starts_on, 'sinceMs', since, 'anchor', anchor, 'first', first,
        'handover', json_object('every', every, 'count', period, 'weekday', weekday, 'minute', minute)
      ), 'overrides', json((
        SELECT json_group_array(json_object('id', id, 'person', user_id, 'fromMs', from_at, 'untilMs', until_at)) FROM (
          SELECT rota_override.* FROM rota_override
          JOIN member ON member.workspace_id = rota_override.workspace_id AND member.user_id = rota_override.user_id
          WHERE rota_override.rota_id = rota.id AND until_at > rota.recorded_at ORDER BY rota_override.id
        )
      )))
    FROM rota WHERE rota.id = channel.rota_id
  ) END`;
