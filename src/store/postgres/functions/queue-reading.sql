-- Reads the events of pages and retries (queue/reading.ts), and their targets: up to `most` of each page. Reads no pages of
-- events that have expired, and nothing of a workspace that may not send. `lost`: pages that are not the node's, because
-- it was evicted meanwhile, or an answer came late. Fails if the node's lease is over.
CREATE OR REPLACE FUNCTION read_work(
  node BIGINT, asked JSON, given_wall_ms BIGINT, given_steady_ms BIGINT, OUT heads JSON, OUT targets JSON,
  OUT lost INTEGER[]
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  steady_ms CONSTANT BIGINT := coalesce(given_steady_ms, vouched_time());
  ids CONSTANT BIGINT[] := ARRAY(SELECT DISTINCT event_id FROM json_to_recordset(asked) AS work(event_id BIGINT));
  -- Tells for each event whether its retries and pages are read (2), only its retries (1), or nothing (0).
  reading JSONB;
BEGIN
  PERFORM check_lease(node);
  SELECT json_agg(head), jsonb_object_agg(id, CASE WHEN "isHeld" THEN 0 WHEN "expiresAtSteadyMs" <= steady_ms THEN 1 ELSE 2 END)
  INTO heads, reading
  FROM ({heads}) AS head;
  lost := ARRAY(
    SELECT place FROM json_to_recordset(asked) AS page(place INTEGER, event_id BIGINT, route TEXT, start BIGINT, device_ids BIGINT[])
    WHERE device_ids IS NULL AND (
      SELECT true FROM fan_out
      WHERE event_id = page.event_id AND route = page.route AND start = page.start AND coalesce(owner, 0) = node
    ) IS NULL
  );
  WITH part AS MATERIALIZED (
    SELECT asked_part.*, array_position(ARRAY['info', 'success', 'warning', 'error'], event.heard_as) - 1 AS level, event.on_call,
      event.channel_id AS event_channel, event.last_subscription
    FROM json_to_recordset(asked) AS asked_part(
      place BIGINT, event_id BIGINT, channel_id BIGINT, route TEXT, from_number BIGINT, to_number BIGINT, most BIGINT, device_ids BIGINT[]
    ) CROSS JOIN LATERAL (
      SELECT coalesce(alert::json ->> 'heardAs', level) AS heard_as, on_call, channel_id, last_subscription
      FROM event WHERE id = asked_part.event_id OFFSET 0
    ) AS event
    WHERE (reading -> asked_part.event_id::text)::int >= CASE WHEN asked_part.device_ids IS NULL THEN 2 ELSE 1 END
  )
  SELECT {targets in columns} INTO targets FROM (
    SELECT part.place, s.number, s.id AS "deviceId", s.token, s.token_kind AS "tokenKind", s.keys, 0::bigint AS attempts,
      s.accepted_at IS NOT NULL AS "wasAccepted", s.refused_at IS NOT NULL AS "isQuarantined", 'active' AS status,
      NULL AS "inactiveReason", true AS "isEntitled", s.min_level > coalesce(part.level, 3) OR s.muted_until > wall_ms AS "isMuted",
      s.user_id <> part.on_call AS "isInformed"
    FROM part
    CROSS JOIN LATERAL (
      SELECT s.number, s.min_level, s.muted_until, v.id, v.token, v.token_kind, v.keys, v.accepted_at, v.refused_at, v.user_id
      FROM subscription AS s CROSS JOIN LATERAL (SELECT * FROM device WHERE id = s.device_id OFFSET 0) AS v
      WHERE s.channel_id = part.channel_id AND s.route = part.route AND s.active = 1
        AND s.number > part.from_number AND s.number <= part.to_number AND v.status = 'active' AND v.generation = s.generation
        -- Recorded out of order before a crash, or in a store that was moved here.
        AND (SELECT true FROM delivery AS d WHERE d.event_id = part.event_id AND d.device_id = s.device_id) IS NULL
      ORDER BY s.number LIMIT part.most
    ) AS s
    WHERE part.device_ids IS NULL AND part.place <> ALL (lost)
    UNION ALL
    SELECT part.place, NULL, d.device_id, v.token, v.token_kind, v.keys, d.attempts, v.accepted_at IS NOT NULL,
      v.refused_at IS NOT NULL, v.status, v.inactive_reason,
      v.route = d.route AND (part.event_channel IS NULL OR s.number IS NOT NULL),
      s.min_level > part.level OR s.muted_until > wall_ms, v.user_id <> part.on_call
    FROM part
    CROSS JOIN LATERAL unnest(part.device_ids) AS of_device
    CROSS JOIN LATERAL (
      SELECT * FROM delivery
      WHERE event_id = part.event_id AND device_id = of_device AND state = 'pending' AND coalesce(owner, 0) = node
      OFFSET 0
    ) AS d
    LEFT JOIN LATERAL (SELECT * FROM device WHERE id = d.device_id OFFSET 0) AS v ON true
    LEFT JOIN LATERAL (
      SELECT number, min_level, muted_until FROM subscription
      WHERE device_id = d.device_id AND channel_id = part.event_channel AND number <= coalesce(part.last_subscription, number)
        AND generation = v.generation
      OFFSET 0
    ) AS s ON true
    WHERE part.device_ids IS NOT NULL
    ORDER BY 1, 2, 3
  ) AS target;
END $$;

CREATE OR REPLACE FUNCTION events_of(ids BIGINT[]) RETURNS SETOF event
LANGUAGE plpgsql STABLE SET enable_seqscan = off
AS $$
BEGIN
  RETURN QUERY
  SELECT found.* FROM unnest(ids) AS of_event CROSS JOIN LATERAL (SELECT * FROM event WHERE id = of_event OFFSET 0) AS found;
END $$;

-- Returns the first due retry of each workspace and home in the lane: one seek each.
CREATE OR REPLACE FUNCTION first_due(of_route TEXT, of_lane TEXT) RETURNS TABLE (workspace_id BIGINT, due_at BIGINT)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  head RECORD;
  at_home BIGINT := -1;
  at_workspace BIGINT := 0;
BEGIN
  LOOP
    SELECT d.home, d.workspace_id, d.due_at INTO head FROM delivery AS d
    WHERE d.state = 'pending' AND d.owner IS NULL AND d.route = of_route AND d.lane = of_lane
      AND (d.home, d.workspace_id) > (at_home, at_workspace)
    ORDER BY d.home, d.workspace_id, d.due_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    at_home := head.home;
    at_workspace := head.workspace_id;
    RETURN QUERY SELECT head.workspace_id, head.due_at;
  END LOOP;
END $$;

-- Returns the first free event of each workspace and home in the lane: one seek each, however long the queue is.
CREATE OR REPLACE FUNCTION first_in_lane(of_route TEXT, of_lane TEXT) RETURNS TABLE (workspace_id BIGINT, event_id BIGINT)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  lowest CONSTANT BIGINT := coalesce((SELECT event_id FROM queue_floor WHERE route = of_route AND lane = of_lane), 0);
  of_home BIGINT;
  of_workspace BIGINT;
BEGIN
  FOR of_home IN SELECT 0 UNION ALL SELECT id FROM node LOOP
    of_workspace := next_with_events(of_route, of_lane, of_home, 0, lowest);
    WHILE of_workspace IS NOT NULL LOOP
      RETURN QUERY SELECT of_workspace, f.event_id
      FROM free_events(of_route, of_lane, of_home, of_workspace, lowest - 1, 9223372036854775807, 1) AS f;
      of_workspace := next_with_events(of_route, of_lane, of_home, of_workspace, lowest);
    END LOOP;
  END LOOP;
END $$;

-- Returns the first owned event of each workspace in each lane. Nodes own few fan-outs.
CREATE OR REPLACE FUNCTION first_owned() RETURNS TABLE (route TEXT, lane TEXT, workspace_id BIGINT, event_id BIGINT)
LANGUAGE plpgsql STABLE SET enable_seqscan = off
AS $$
BEGIN
  RETURN QUERY SELECT f.route, f.lane, f.workspace_id, min(f.event_id) FROM fan_out AS f WHERE f.owner IS NOT NULL
  GROUP BY f.route, f.lane, f.workspace_id;
END $$;
