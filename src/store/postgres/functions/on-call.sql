-- Returns whether a person has a device that gets a channel's push of this level now, and shows it. Same rule:
-- handlers/on-call/reachable.ts.
CREATE OR REPLACE FUNCTION is_reachable(of_person BIGINT, of_channel BIGINT, of_level TEXT, wall_ms BIGINT, served_routes TEXT[])
RETURNS BOOLEAN LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM subscription
    WHERE subscription.user_id = of_person AND subscription.channel_id = of_channel AND subscription.active = 1
      AND subscription.min_level < array_position(ARRAY['info', 'success', 'warning', 'error'], of_level)
      AND subscription.muted_until <= wall_ms AND subscription.route = ANY (served_routes)
      AND NOT EXISTS (SELECT 1 FROM route_pause WHERE route_pause.route = subscription.route)
      AND NOT EXISTS (
        SELECT 1 FROM reporter WHERE reporter.device_id = subscription.device_id AND reporter.silent_at IS NOT NULL
      )
  );
END $$;

-- Returns the plan of a rota that decides who is on call: handlers/on-call/sound.ts has the same.
CREATE OR REPLACE FUNCTION on_call_plan(of_rota BIGINT) RETURNS TEXT LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN (
    SELECT json_build_object('rota', json_build_object(
      'timezone', timezone, 'members', members::json, 'startsOn', starts_on, 'sinceMs', since, 'anchor', anchor, 'first', first,
      'handover', json_build_object('every', every, 'count', period, 'weekday', weekday, 'minute', minute)
    ), 'overrides', (
      SELECT coalesce(json_agg(json_build_object('id', id, 'person', user_id, 'fromMs', from_at, 'untilMs', until_at) ORDER BY id), '[]')
      FROM rota_override
      WHERE rota_override.rota_id = rota.id AND until_at > rota.recorded_at AND EXISTS (
        SELECT 1 FROM member WHERE member.workspace_id = rota_override.workspace_id AND member.user_id = rota_override.user_id
      )
    ))::text FROM rota WHERE rota.id = of_rota
  );
END $$;
