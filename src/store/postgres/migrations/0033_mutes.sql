-- What a person has muted of a channel on one device. `min_level`: the place of the lowest level that is sent among LEVELS
-- (src/push.ts); 0: all are. `muted_until`: by the wall clock, as people mean it; 0, or a time that has passed: not muted.
ALTER TABLE subscription
  ADD COLUMN min_level INTEGER NOT NULL DEFAULT 0 CHECK (min_level BETWEEN 0 AND 3),
  ADD COLUMN muted_until BIGINT NOT NULL DEFAULT 0;

-- As before, but for what is muted: of pages it is left out, retries say so.
DROP FUNCTION read_parts(JSON);
CREATE FUNCTION read_parts(parts JSON, given_wall_ms BIGINT) RETURNS TABLE (
  claim_id BIGINT, device_id BIGINT, token TEXT, token_kind TEXT, keys TEXT, attempts BIGINT, was_accepted BOOLEAN, is_suspect BOOLEAN,
  status TEXT, inactive_reason TEXT, entitled BOOLEAN, is_muted BOOLEAN
)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
BEGIN
  RETURN QUERY
  WITH part AS MATERIALIZED (
    SELECT one.*, array_position(ARRAY['info', 'success', 'warning', 'error'], event.level) - 1 AS level
    FROM json_to_recordset(parts) AS one(
      place BIGINT, claim_id BIGINT, event_id BIGINT, channel_id BIGINT, route TEXT, from_number BIGINT, to_number BIGINT
    ) LEFT JOIN LATERAL (SELECT level FROM event WHERE id = one.event_id OFFSET 0) AS event ON true
  )
  SELECT target.claim_id, target.device_id, target.token, target.token_kind, target.keys, target.attempts, target.was_accepted,
    target.is_suspect, target.status, target.inactive_reason, target.entitled, target.is_muted
  FROM (
    SELECT part.place, s.number AS nth, part.claim_id, v.id AS device_id, v.token, v.token_kind, v.keys, 0::bigint AS attempts,
      v.accepted_at IS NOT NULL AS was_accepted, v.refused_at IS NOT NULL AS is_suspect, 'active' AS status,
      NULL AS inactive_reason, true AS entitled, false AS is_muted
    FROM part
    CROSS JOIN LATERAL (
      SELECT number, device_id FROM subscription
      WHERE channel_id = part.channel_id AND route = part.route AND active = 1
        AND number > part.from_number AND number <= part.to_number
        AND min_level <= coalesce(part.level, 3) AND muted_until <= wall_ms
      OFFSET 0
    ) AS s
    CROSS JOIN LATERAL (SELECT * FROM device WHERE id = s.device_id OFFSET 0) AS v
    WHERE part.from_number < part.to_number
      -- Some may be settled, of a page that was given back, and of a store that was moved here.
      AND (SELECT true FROM delivery AS d WHERE d.event_id = part.event_id AND d.device_id = s.device_id) IS NULL
    UNION ALL
    SELECT part.place, d.due_at, part.claim_id, d.device_id, v.token, v.token_kind, v.keys, d.attempts, v.accepted_at IS NOT NULL,
      v.refused_at IS NOT NULL, v.status, v.inactive_reason,
      v.route = d.route AND (event.channel_id IS NULL OR s.number IS NOT NULL),
      s.min_level > part.level OR s.muted_until > wall_ms
    FROM part
    CROSS JOIN LATERAL (SELECT * FROM delivery WHERE claim_id = part.claim_id OFFSET 0) AS d
    LEFT JOIN LATERAL (SELECT * FROM event WHERE id = part.event_id OFFSET 0) AS event ON true
    LEFT JOIN LATERAL (SELECT * FROM device WHERE id = d.device_id OFFSET 0) AS v ON true
    LEFT JOIN LATERAL (
      SELECT number, min_level, muted_until FROM subscription
      WHERE device_id = d.device_id AND channel_id = event.channel_id AND number <= coalesce(event.last_subscription, number)
      OFFSET 0
    ) AS s ON true
    WHERE part.from_number = part.to_number
  ) AS target
  ORDER BY target.place, target.nth, target.device_id;
END $$;
