-- Claims the next pushes. Returns a row per part: a fan-out's page, or an event's due retries. Workspaces take turns of
-- up to a batch, from behind `last_workspace`. Within a workspace its events take turns, from behind its event in
-- `last_events`. Expired pushes end here; `finished`: their event. A row without event means that rows were locked:
-- more work may be left. `of_event`: only this event of `last_workspace`. `request`: number of the node's request.
-- Claims do not wait for the disk: a lost claim is made again.
CREATE OR REPLACE FUNCTION claim_parts(
  node BIGINT, request BIGINT, of_route TEXT, of_lane TEXT, most BIGINT, batch_size BIGINT, last_workspace BIGINT, last_events JSONB,
  retries_first BOOLEAN, of_event BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT
) RETURNS TABLE (
  claim_id BIGINT, workspace_id BIGINT, event_id BIGINT, channel_id BIGINT, home BIGINT, from_number BIGINT, to_number BIGINT,
  is_again BOOLEAN, finished BYTEA
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  steady_ms CONSTANT BIGINT := coalesce(given_steady_ms, wall_ms);
  most_endings CONSTANT BIGINT := 200;
  taken BIGINT := 0;
  endings BIGINT := 0;
  goal BIGINT;
  before BIGINT;
  endings_before BIGINT;
  behind BIGINT;
  source TEXT;
  sources TEXT[] := CASE WHEN retries_first THEN '{pages,retries,events}' ELSE '{pages,events,retries}' END::text[];
  turn BIGINT := last_workspace;
  has_wrapped BOOLEAN := false;
  had_turn BOOLEAN := of_event IS NOT NULL;
  again BIGINT[] := CASE WHEN of_event IS NULL THEN '{}' ELSE ARRAY[last_workspace] END;
  parts claimed_part[];
  got RECORD;
  met_lock BOOLEAN := false;
  lowest CONSTANT BIGINT := CASE WHEN of_event IS NULL THEN coalesce(
    (SELECT floor.event_id FROM queue_floor AS floor WHERE floor.route = of_route AND floor.lane = of_lane), 0
  ) ELSE 0 END;
BEGIN
  PERFORM 1 FROM node AS self
  WHERE self.id = claim_parts.node AND self.lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PU001', MESSAGE = 'the lease of this node is over';
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);

  WHILE taken < most AND endings < most_endings LOOP
    -- Each workspace gets a turn. After that, those that may have more take further turns.
    IF NOT had_turn THEN
      turn := next_waiting_workspace(of_route, of_lane, node, turn, lowest, last_events);
      IF turn IS NULL OR has_wrapped AND turn > last_workspace THEN
        had_turn := has_wrapped;
        has_wrapped := true;
        turn := 0;
        CONTINUE;
      END IF;
      goal := least(taken + batch_size, most);
    ELSE
      EXIT WHEN cardinality(again) = 0;
      -- A lone workspace has longer turns, half of them for retries.
      goal := least(
        taken + greatest(batch_size, CASE cardinality(again) WHEN 1 THEN (most - taken) / 2 / batch_size * batch_size END), most
      );
      turn := again[1];
      again := again[2:];
    END IF;
    CONTINUE WHEN NOT EXISTS (SELECT 1 FROM workspace WHERE id = turn AND status = 'active')
      OR EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = turn);
    FOREACH source IN ARRAY sources LOOP
      behind := coalesce((last_events ->> turn::text)::bigint, 0);
      WHILE taken < goal AND endings < most_endings LOOP
        before := taken;
        endings_before := endings;
        CASE source
          WHEN 'pages' THEN
            parts := ARRAY(SELECT p FROM claim_free_pages(node, request, of_route, of_lane, turn, of_event, goal - taken, steady_ms) AS p);
          WHEN 'events' THEN
            parts := claim_new_pages(
              node, request, of_route, of_lane, turn, of_event, behind, goal - taken, taken % batch_size, batch_size, steady_ms, lowest
            );
          ELSE
            parts := ARRAY(SELECT p FROM claim_retries(
              node, request, of_route, of_lane, turn, of_event, goal - taken, taken % batch_size, batch_size, steady_ms
            ) AS p);
        END CASE;
        EXIT WHEN coalesce(cardinality(parts), 0) = 0;
        SELECT coalesce(sum(p.size), 0) AS size, count(p.event_id) - count(p.id) AS ended, count(*) > count(p.event_id) AS is_locked,
          (array_agg(p.event_id ORDER BY nth DESC) FILTER (WHERE p.event_id IS NOT NULL))[1] AS newest
        INTO got
        FROM unnest(parts) WITH ORDINALITY AS p(id, event_id, channel_id, home, from_number, to_number, size, is_last, is_end, nth);
        taken := taken + got.size;
        endings := endings + got.ended;
        met_lock := met_lock OR got.is_locked;
        IF source = 'events' THEN behind := coalesce(got.newest, behind); END IF;
        RETURN QUERY SELECT p.id, turn, p.event_id, p.channel_id, p.home, p.from_number, p.to_number, source = 'pages', NULL::bytea
        FROM unnest(parts) AS p WHERE p.id IS NOT NULL;
        IF got.ended > 0 THEN
          RETURN QUERY SELECT NULL::bigint, turn, p.event_id, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::boolean,
            end_fan_out(p.event_id, of_route, node, wall_ms, steady_ms)
          FROM unnest(parts) AS p WHERE p.id IS NULL AND p.event_id IS NOT NULL;
        END IF;
        EXIT WHEN taken = before AND endings = endings_before;
      END LOOP;
      last_events := last_events || jsonb_build_object(turn::text, behind);
    END LOOP;
    sources := ARRAY[sources[1], sources[3], sources[2]];
    IF taken >= goal THEN again := again || turn; END IF;
  END LOOP;
  IF met_lock AND taken < most THEN
    RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::boolean,
      NULL::bytea;
  END IF;
END $$;

-- The three sources of a claim follow. Each takes up to `quota` targets of a workspace, in parts that do not cross the
-- end of a batch. The first batch already has `filled` targets. Rows to lock are found by their key alone: the
-- conditions that are checked again have no index.

-- Claims released pages as they were cut. The last page is cut again if it is too large.
CREATE OR REPLACE FUNCTION claim_free_pages(
  node BIGINT, request BIGINT, of_route TEXT, of_lane TEXT, of_workspace BIGINT, of_event BIGINT, quota BIGINT, steady_ms BIGINT
) RETURNS SETOF claimed_part
LANGUAGE plpgsql
AS $$
DECLARE
  page RECORD;
  taken BIGINT := 0;
  cut_at BIGINT;
  many BIGINT;
  ours BIGINT[];
  over BIGINT[];
BEGIN
  FOR page IN
    SELECT free.id, c.event_id, c.home, c.from_number, c.to_number, c.size, f.channel_id, free.event_id AS of_event,
      (SELECT expires_at FROM event WHERE id = free.event_id) > steady_ms AND EXISTS (SELECT 1 FROM channel WHERE id = f.channel_id)
        AS is_alive
    FROM (
      SELECT first.* FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL (
        SELECT id, event_id, from_number FROM claim
        WHERE node_id IS NULL AND route = of_route AND lane = of_lane AND home = of_home AND workspace_id = of_workspace
          AND (of_event IS NULL OR event_id = of_event)
        ORDER BY event_id, from_number LIMIT quota
      ) AS first
      ORDER BY first.event_id, first.from_number LIMIT quota
    ) AS free
    LEFT JOIN LATERAL (
      SELECT * FROM claim WHERE id = free.id AND coalesce(node_id, 0) = 0 FOR UPDATE SKIP LOCKED
    ) AS c ON true
    LEFT JOIN LATERAL (SELECT channel_id FROM fan_out WHERE event_id = free.event_id AND route = of_route OFFSET 0) AS f ON true
  LOOP
    EXIT WHEN taken >= quota;
    IF page.event_id IS NULL THEN
      RETURN NEXT NULL::claimed_part;
      CONTINUE;
    END IF;
    IF page.is_alive IS NOT TRUE THEN
      over := over || page.id;
      RETURN NEXT ROW(NULL, page.event_id, NULL, NULL, NULL, NULL, 0, false, false)::claimed_part;
      CONTINUE;
    END IF;
    IF page.size > quota - taken THEN
      SELECT count(*), max(number) INTO many, cut_at FROM (
        SELECT s.number FROM subscription AS s
        WHERE s.channel_id = page.channel_id AND s.route = of_route AND s.active = 1
          AND s.number > page.from_number AND s.number <= page.to_number
          AND (SELECT true FROM delivery AS d WHERE d.event_id = page.event_id AND d.device_id = s.device_id) IS NULL
        ORDER BY s.number LIMIT quota - taken
      ) AS few;
      IF many = quota - taken AND cut_at < page.to_number THEN
        INSERT INTO claim (event_id, home, route, lane, workspace_id, from_number, to_number, size)
        VALUES (page.event_id, page.home, of_route, of_lane, of_workspace, cut_at, page.to_number, page.size - many);
        UPDATE claim SET to_number = cut_at, size = many WHERE id = page.id;
        page.to_number := cut_at;
      END IF;
      page.size := many;
    END IF;
    ours := ours || page.id;
    taken := taken + page.size;
    RETURN NEXT ROW(
      page.id, page.event_id, page.channel_id, page.home, page.from_number, page.to_number, page.size, false, false
    )::claimed_part;
  END LOOP;
  UPDATE claim SET node_id = node, request = claim_free_pages.request WHERE id = ANY (ours);
  DELETE FROM claim WHERE id = ANY (over);
END $$;

-- Claims new pages. Events take turns: first those behind the event `behind`, then those from the floor on.
CREATE OR REPLACE FUNCTION claim_new_pages(
  node BIGINT, request BIGINT, of_route TEXT, of_lane TEXT, of_workspace BIGINT, of_event BIGINT, behind BIGINT, quota BIGINT, filled BIGINT, batch_size BIGINT,
  steady_ms BIGINT, lowest BIGINT
) RETURNS claimed_part[]
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  parts claimed_part[];
  part claimed_part;
BEGIN
  WITH ahead AS MATERIALIZED (
    SELECT f.event_id, f.targeted FROM unnest(ARRAY[0, node]) AS of_home
    CROSS JOIN LATERAL open_events(
      of_route, of_lane, of_home, of_workspace, coalesce(of_event - 1, greatest(behind, lowest - 1)), coalesce(of_event, 9223372036854775807), quota
    ) AS f
  ), open AS MATERIALIZED (
    SELECT round, event_id, targeted, count(*) OVER () AS many FROM (
      SELECT 1 AS round, event_id, targeted FROM ahead
      UNION ALL
      -- Looks below only if there are too few events ahead, because finished rows lie between.
      SELECT 2, f.event_id, f.targeted
      FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL open_events(of_route, of_lane, of_home, of_workspace, lowest - 1, behind, quota) AS f
      WHERE of_event IS NULL AND (SELECT count(*) FROM ahead) < quota
    ) AS candidate
  ), chosen AS MATERIALIZED (
    -- Takes as many events as the quota may need, up to `cap` targets each: a large event leaves room for others.
    SELECT round, event_id, cap FROM (
      SELECT round, event_id, cap, sum(least(targeted, cap)) OVER (ORDER BY round, event_id) - least(targeted, cap) AS before
      FROM (SELECT *, greatest(batch_size, quota / many / batch_size * batch_size) AS cap FROM open) AS capped
    ) AS summed
    WHERE before < quota ORDER BY round, event_id
  ), fan AS MATERIALIZED (
    SELECT chosen.round, chosen.cap, f.*
    FROM chosen LEFT JOIN LATERAL (
      SELECT event_id, channel_id, home, claimed_to, last, expires_at FROM fan_out
      WHERE event_id = chosen.event_id AND route = of_route AND last - claimed_to > 0
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS f ON true
  ), target AS MATERIALIZED (
    -- A fan-out without targets has one row without a number.
    SELECT fan.*, s.number, count(s.number) OVER (ORDER BY fan.round, fan.event_id, s.number) AS nth,
      count(s.number) OVER (PARTITION BY fan.round, fan.event_id) AS found
    FROM fan LEFT JOIN LATERAL (
      SELECT number FROM subscription
      WHERE channel_id = fan.channel_id AND route = of_route AND active = 1 AND number > fan.claimed_to AND number <= fan.last
        AND fan.expires_at > steady_ms
        AND EXISTS (SELECT 1 FROM channel WHERE id = fan.channel_id)
      ORDER BY number LIMIT fan.cap
    ) AS s ON true
    WHERE fan.event_id IS NOT NULL
  ), piece AS MATERIALIZED (
    SELECT round, event_id, channel_id, home, claimed_to, last, cap, found, max(number) AS high, count(number) AS size
    FROM target WHERE nth <= quota
    GROUP BY round, event_id, channel_id, home, claimed_to, last, cap, found, (filled + nth - 1) / batch_size
  ), part AS (
    SELECT CASE WHEN size > 0 THEN nextval('claim_id_seq') END AS id, in_order.*, is_last AND handed = found AND found < cap AS is_end
    FROM (
      SELECT piece.*, lag(high, 1, claimed_to) OVER pieces_of_event AS begins, lead(high) OVER pieces_of_event IS NULL AS is_last,
        sum(size) OVER (PARTITION BY round, event_id) AS handed
      FROM piece WINDOW pieces_of_event AS (PARTITION BY round, event_id ORDER BY high)
    ) AS in_order
  )
  SELECT array_agg(made ORDER BY round, event_id, high) INTO parts FROM (
    SELECT ROW(
      id, event_id, channel_id, home, begins, CASE WHEN is_end THEN last ELSE high END, size, is_last, is_end
    )::claimed_part AS made, round, event_id, high
    FROM part
    UNION ALL
    SELECT NULL::claimed_part, round, NULL, NULL FROM fan WHERE event_id IS NULL
  ) AS claimed;
  INSERT INTO claim (event_id, id, node_id, request, home, route, lane, workspace_id, from_number, to_number, size)
  SELECT event_id, id, node, request, home, of_route, of_lane, of_workspace, from_number, to_number, size FROM unnest(parts) WHERE id IS NOT NULL;
  UPDATE fan_out SET claimed_to = last, is_open = false
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM unnest(parts) WHERE is_end)) AND route = of_route;
  FOR part IN SELECT * FROM unnest(parts) WHERE is_last AND NOT is_end LOOP
    UPDATE fan_out SET claimed_to = part.to_number, is_open = part.to_number < last WHERE event_id = part.event_id AND route = of_route;
  END LOOP;
  RETURN parts;
END $$;

-- Claims due retries, the longest due first.
CREATE OR REPLACE FUNCTION claim_retries(
  node BIGINT, request BIGINT, of_route TEXT, of_lane TEXT, of_workspace BIGINT, of_event BIGINT, quota BIGINT, filled BIGINT, batch_size BIGINT, steady_ms BIGINT
) RETURNS SETOF claimed_part
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  part RECORD;
  made BIGINT;
BEGIN
  FOR part IN
    WITH due AS MATERIALIZED (
      SELECT first.due_at, d.event_id, d.device_id, d.home FROM (
        SELECT due_at_home.* FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL (
          SELECT event_id, device_id, due_at FROM delivery
          WHERE state = 'pending' AND claim_id IS NULL AND route = of_route AND lane = of_lane AND home = of_home
            AND workspace_id = of_workspace AND due_at <= steady_ms AND (of_event IS NULL OR event_id = of_event)
          ORDER BY due_at LIMIT quota
        ) AS due_at_home
        ORDER BY due_at_home.due_at LIMIT quota
      ) AS first
      LEFT JOIN LATERAL (
        SELECT event_id, device_id, home FROM delivery
        WHERE event_id = first.event_id AND device_id = first.device_id AND state = 'pending' AND coalesce(claim_id, 0) = 0
        FOR UPDATE SKIP LOCKED
      ) AS d ON true
    )
    SELECT event_id, home, array_agg(device_id) AS devices
    FROM (SELECT *, row_number() OVER (ORDER BY event_id IS NULL, due_at, event_id, device_id) AS nth FROM due) AS due
    GROUP BY event_id, home, (filled + nth - 1) / batch_size
    ORDER BY (filled + min(nth) - 1) / batch_size, min(nth)
  LOOP
    IF part.event_id IS NULL THEN
      RETURN NEXT NULL::claimed_part;
      CONTINUE;
    END IF;
    INSERT INTO claim (event_id, node_id, request, home, route, lane, workspace_id, from_number, to_number, size)
    VALUES (part.event_id, node, request, part.home, of_route, of_lane, of_workspace, 0, 0, cardinality(part.devices))
    RETURNING id INTO made;
    UPDATE delivery SET claim_id = made WHERE event_id = part.event_id AND device_id = ANY (part.devices);
    RETURN NEXT ROW(made, part.event_id, NULL, part.home, 0, 0, cardinality(part.devices), true, false)::claimed_part;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION events_of(ids BIGINT[]) RETURNS SETOF event
LANGUAGE plpgsql STABLE SET enable_seqscan = off
AS $$
BEGIN
  RETURN QUERY
  SELECT found.* FROM unnest(ids) AS of_event CROSS JOIN LATERAL (SELECT * FROM event WHERE id = of_event OFFSET 0) AS found;
END $$;

-- Returns the next workspace behind `after` with work in the lane that this node may send; NULL: none.
CREATE OR REPLACE FUNCTION next_waiting_workspace(
  of_route TEXT, of_lane TEXT, node BIGINT, after BIGINT, lowest BIGINT, last_events JSONB
) RETURNS BIGINT
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN (
    SELECT min(waiting.id)
    FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL (
      SELECT next_with_events(of_route, of_lane, of_home, after, lowest, last_events) AS id
      UNION ALL
      SELECT min(workspace_id) FROM claim
      WHERE node_id IS NULL AND route = of_route AND lane = of_lane AND home = of_home AND workspace_id > after
      UNION ALL
      SELECT min(workspace_id) FROM delivery
      WHERE state = 'pending' AND claim_id IS NULL AND route = of_route AND lane = of_lane AND home = of_home AND workspace_id > after
    ) AS waiting
  );
END $$;

-- Returns the next workspace behind `after` with claimable events of this home in the lane, from `lowest` on; NULL:
-- none. Most installations have few workspaces. So a seek for each of them skips the finished rows, which a scan of the
-- index would read. `last_events`: by workspace, the event behind which to look first.
--
-- Only the index of open fan-outs (fan_out_open) supports a comparison of all its columns in order. With other indexes,
-- the database reads finished rows one by one if it finds nothing, or if it estimates many. The first look is behind
-- the last claimed event of a workspace: rows below it were finished just now, and the database cannot skip them at
-- once.
CREATE OR REPLACE FUNCTION next_with_events(
  of_route TEXT, of_lane TEXT, of_home BIGINT, after BIGINT, lowest BIGINT, last_events JSONB DEFAULT '{}'
) RETURNS BIGINT
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  tried CONSTANT BIGINT[] := ARRAY(SELECT id FROM workspace WHERE id > after ORDER BY id LIMIT 100);
  newest CONSTANT BIGINT := 9223372036854775807;
  nearest BIGINT;
BEGIN
  SELECT of_workspace INTO nearest
  FROM unnest(tried) AS of_workspace CROSS JOIN LATERAL (
    SELECT coalesce((last_events ->> of_workspace::text)::bigint, newest) AS event_id OFFSET 0
  ) AS latest
  WHERE coalesce((
    SELECT true FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) > (of_route, of_lane, of_home, of_workspace, latest.event_id)
      AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, newest)
      AND f.is_open
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1
  ), (
    SELECT true FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) >= (of_route, of_lane, of_home, of_workspace, lowest)
      AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, latest.event_id)
      AND f.is_open
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1
  ))
  LIMIT 1;
  IF nearest IS NULL AND cardinality(tried) = 100 THEN
    SELECT f.workspace_id INTO nearest FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id) > (of_route, of_lane, of_home, tried[100])
      AND (f.route, f.lane, f.home) <= (of_route, of_lane, of_home)
      AND f.is_open AND f.event_id >= lowest
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1;
  END IF;
  RETURN nearest;
END $$;

-- Returns a workspace's events with claimable targets, in order.
CREATE OR REPLACE FUNCTION open_events(
  of_route TEXT, of_lane TEXT, of_home BIGINT, of_workspace BIGINT, above BIGINT, up_to BIGINT, most BIGINT
) RETURNS TABLE (event_id BIGINT, targeted BIGINT)
LANGUAGE plpgsql STABLE ROWS 100
AS $$
BEGIN
  RETURN QUERY SELECT f.event_id, f.targeted FROM fan_out AS f
  WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) > (of_route, of_lane, of_home, of_workspace, above)
    AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, up_to)
    AND f.is_open
  ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT most;
END $$;

CREATE OR REPLACE FUNCTION read_parts(parts JSON, given_wall_ms BIGINT) RETURNS TABLE (
  claim_id BIGINT, device_id BIGINT, token TEXT, token_kind TEXT, keys TEXT, attempts BIGINT, was_accepted BOOLEAN, is_quarantined BOOLEAN,
  status TEXT, inactive_reason TEXT, entitled BOOLEAN, is_muted BOOLEAN, is_informed BOOLEAN
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
    SELECT asked_part.*, array_position(ARRAY['info', 'success', 'warning', 'error'], event.heard_as) - 1 AS level, event.on_call
    FROM json_to_recordset(parts) AS asked_part(
      place BIGINT, claim_id BIGINT, event_id BIGINT, channel_id BIGINT, route TEXT, from_number BIGINT, to_number BIGINT
    ) LEFT JOIN LATERAL (
      SELECT coalesce(alert::json ->> 'heardAs', level) AS heard_as, on_call FROM event WHERE id = asked_part.event_id OFFSET 0
    ) AS event ON true
  )
  SELECT target.claim_id, target.device_id, target.token, target.token_kind, target.keys, target.attempts, target.was_accepted,
    target.is_quarantined, target.status, target.inactive_reason, target.entitled, target.is_muted, target.user_id <> target.on_call
  FROM (
    SELECT part.place, s.number AS nth, part.claim_id, v.id AS device_id, v.token, v.token_kind, v.keys, 0::bigint AS attempts,
      v.accepted_at IS NOT NULL AS was_accepted, v.refused_at IS NOT NULL AS is_quarantined, 'active' AS status,
      NULL AS inactive_reason, true AS entitled, s.min_level > coalesce(part.level, 3) OR s.muted_until > wall_ms AS is_muted,
      v.user_id, part.on_call
    FROM part
    CROSS JOIN LATERAL (
      SELECT number, device_id, generation, min_level, muted_until FROM subscription
      WHERE channel_id = part.channel_id AND route = part.route AND active = 1
        AND number > part.from_number AND number <= part.to_number
      OFFSET 0
    ) AS s
    CROSS JOIN LATERAL (SELECT * FROM device WHERE id = s.device_id OFFSET 0) AS v
    WHERE part.from_number < part.to_number AND v.status = 'active' AND v.generation = s.generation
      -- Targets of a released page, or of a store that was moved here, may be settled already.
      AND (SELECT true FROM delivery AS d WHERE d.event_id = part.event_id AND d.device_id = s.device_id) IS NULL
    UNION ALL
    SELECT part.place, d.due_at, part.claim_id, d.device_id, v.token, v.token_kind, v.keys, d.attempts, v.accepted_at IS NOT NULL,
      v.refused_at IS NOT NULL, v.status, v.inactive_reason,
      v.route = d.route AND (event.channel_id IS NULL OR s.number IS NOT NULL),
      s.min_level > part.level OR s.muted_until > wall_ms, v.user_id, part.on_call
    FROM part
    CROSS JOIN LATERAL (SELECT * FROM delivery WHERE claim_id = part.claim_id OFFSET 0) AS d
    LEFT JOIN LATERAL (SELECT * FROM event WHERE id = part.event_id OFFSET 0) AS event ON true
    LEFT JOIN LATERAL (SELECT * FROM device WHERE id = d.device_id OFFSET 0) AS v ON true
    LEFT JOIN LATERAL (
      SELECT number, min_level, muted_until FROM subscription
      WHERE device_id = d.device_id AND channel_id = event.channel_id AND number <= coalesce(event.last_subscription, number)
        AND generation = v.generation
      OFFSET 0
    ) AS s ON true
    WHERE part.from_number = part.to_number
  ) AS target
  ORDER BY target.place, target.nth, target.device_id;
END $$;

-- Returns the node holding an event's links, if pushes still need it; else 0. It cannot be evicted before this commits.
CREATE OR REPLACE FUNCTION home_of(of_event BIGINT) RETURNS BIGINT LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  known CONSTANT BIGINT := coalesce(
    (SELECT max(home) FROM fan_out WHERE event_id = of_event AND home <> 0),
    (SELECT max(home) FROM claim WHERE event_id = of_event AND home <> 0),
    (SELECT max(home) FROM delivery WHERE event_id = of_event AND state = 'pending' AND home <> 0)
  );
BEGIN
  RETURN CASE WHEN known IS NULL THEN 0 ELSE coalesce((SELECT id FROM node WHERE id = known AND NOT is_evicted FOR KEY SHARE), 0) END;
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
    WHERE d.state = 'pending' AND d.claim_id IS NULL AND d.route = of_route AND d.lane = of_lane
      AND (d.home, d.workspace_id) > (at_home, at_workspace)
    ORDER BY d.home, d.workspace_id, d.due_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    at_home := head.home;
    at_workspace := head.workspace_id;
    RETURN QUERY SELECT head.workspace_id, head.due_at;
  END LOOP;
END $$;

-- Returns the first claimable event of each workspace and home in the lane: one seek each, however long the queue is.
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
      FROM open_events(of_route, of_lane, of_home, of_workspace, lowest - 1, 9223372036854775807, 1) AS f;
      of_workspace := next_with_events(of_route, of_lane, of_home, of_workspace, lowest);
    END LOOP;
  END LOOP;
END $$;
