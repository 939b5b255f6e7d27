-- Leases work of a lane (`lease_work`). Returns it, when the next free retry is due, and the queue's time.
CREATE OR REPLACE FUNCTION lease_lane(
  node BIGINT, of_route TEXT, of_lane TEXT, most_targets BIGINT, most_retries BIGINT, share BIGINT, stretch BIGINT, last_workspace BIGINT,
  last_events JSONB, passed_over BIGINT[], given_steady_ms BIGINT, OUT leased JSON, OUT due_at BIGINT, OUT now_ms BIGINT
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
  now_ms := coalesce(given_steady_ms, vouched_time());
  SELECT json_agg(work) INTO leased
  FROM lease_work(
    node, of_route, of_lane, most_targets, most_retries, share, stretch, last_workspace, last_events, passed_over, now_ms
  ) AS work;
  SELECT min(first.due_at) INTO due_at FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL (
    SELECT d.due_at FROM delivery AS d
    WHERE d.state = 'pending' AND d.owner IS NULL AND d.route = of_route AND d.lane = of_lane AND d.home = of_home
    ORDER BY d.due_at LIMIT 1
  ) AS first;
END $$;

-- Leases free work of a lane to a node: retries, and events with so many targets, or some more. Workspaces take turns of up
-- to `share` targets of each kind, from behind `last_workspace`. A workspace's events come from behind its event in
-- `last_events`, then from the first one on. A larger fan-out is split: at most `stretch` targets, and what its turn has
-- room for, are leased. The rest stays free. Only retries are leased of workspaces in `passed_over`. A row without event
-- means that rows were locked: more work may be free.
CREATE OR REPLACE FUNCTION lease_work(
  node BIGINT, of_route TEXT, of_lane TEXT, most_targets BIGINT, most_retries BIGINT, share BIGINT, stretch BIGINT, last_workspace BIGINT,
  last_events JSONB, passed_over BIGINT[], steady_ms BIGINT
) RETURNS SETOF leased_work
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  lowest CONSTANT BIGINT := coalesce((SELECT event_id FROM queue_floor WHERE route = of_route AND lane = of_lane), 0);
  targets BIGINT := 0;
  retries BIGINT := 0;
  many BIGINT;
  newest BIGINT;
  turn BIGINT := last_workspace;
  quota BIGINT := share;
  -- Smaller stretches would cost more than they share.
  cut_size BIGINT := least(greatest(share, 150), stretch);
  is_alone BOOLEAN;
  has_wrapped BOOLEAN := false;
  had_turn BOOLEAN := false;
  again BIGINT[] := '{}';
  has_more BOOLEAN;
  leased leased_work[];
BEGIN
  PERFORM hold_lease(node);
  WHILE targets < most_targets OR retries < most_retries LOOP
    -- Each workspace gets a turn. After that, those that may have more take further turns.
    IF NOT had_turn THEN
      turn := next_waiting_workspace(of_route, of_lane, node, turn, lowest, last_events);
      IF turn IS NULL OR has_wrapped AND turn > last_workspace THEN
        had_turn := has_wrapped;
        has_wrapped := true;
        turn := 0;
        CONTINUE;
      END IF;
      -- Only the first one looks for others.
      is_alone := coalesce(is_alone, turn = coalesce(
        next_waiting_workspace(of_route, of_lane, node, turn, lowest, last_events),
        next_waiting_workspace(of_route, of_lane, node, 0, lowest, last_events)
      ));
    ELSE
      EXIT WHEN cardinality(again) = 0;
      turn := again[1];
      again := again[2:];
      is_alone := cardinality(again) = 0;
    END IF;
    CONTINUE WHEN NOT EXISTS (SELECT 1 FROM workspace WHERE id = turn AND status = 'active')
      OR EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = turn);
    -- A lone workspace needs no turns, and few large stretches cost less.
    IF is_alone THEN
      quota := greatest(most_targets, most_retries);
      cut_size := stretch;
    END IF;
    has_more := false;
    IF targets < most_targets AND turn <> ALL (passed_over) THEN
      leased := lease_events(
        node, of_route, of_lane, turn, coalesce((last_events ->> turn::text)::bigint, 0), least(quota, most_targets - targets), cut_size, lowest
      );
      SELECT coalesce(sum(work.left_over), 0), max(work.event_id) INTO many, newest FROM unnest(leased) AS work;
      has_more := many >= least(quota, most_targets - targets);
      targets := targets + least(many, quota);
      IF newest IS NOT NULL THEN last_events := last_events || jsonb_build_object(turn::text, newest); END IF;
      RETURN QUERY SELECT * FROM unnest(leased);
    END IF;
    IF retries < most_retries THEN
      leased := lease_retries(node, of_route, of_lane, turn, least(quota, most_retries - retries), steady_ms);
      SELECT count(work.event_id) INTO many FROM unnest(leased) AS work;
      has_more := has_more OR many >= least(quota, most_retries - retries);
      retries := retries + many;
      RETURN QUERY SELECT * FROM unnest(leased);
    END IF;
    IF has_more THEN again := again || turn; END IF;
  END LOOP;
END $$;

-- Leases events of a workspace, with `quota` targets or some more: first those behind the event `behind`, then those from
-- the floor on. Rows to lock are found by their key alone: the condition that is checked again has no index.
CREATE OR REPLACE FUNCTION lease_events(
  node BIGINT, of_route TEXT, of_lane TEXT, of_workspace BIGINT, behind BIGINT, quota BIGINT, stretch BIGINT, lowest BIGINT
) RETURNS leased_work[]
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  leased leased_work[];
  fan RECORD;
  cut_at BIGINT;
BEGIN
  FOR fan IN
    WITH ahead AS MATERIALIZED (
      SELECT f.* FROM unnest(ARRAY[0, node]) AS of_home
      CROSS JOIN LATERAL free_events(of_route, of_lane, of_home, of_workspace, greatest(behind, lowest - 1), 9223372036854775807, quota) AS f
    ), free AS MATERIALIZED (
      SELECT 1 AS round, ahead.* FROM ahead
      UNION ALL
      -- Looks below only if there are too few events ahead, because leased rows lie between.
      SELECT 2, f.* FROM unnest(ARRAY[0, node]) AS of_home
      CROSS JOIN LATERAL free_events(of_route, of_lane, of_home, of_workspace, lowest - 1, behind, quota) AS f
      WHERE (SELECT count(*) FROM ahead) < quota
    ), chosen AS MATERIALIZED (
      SELECT round, event_id, start FROM (
        SELECT *, sum(least(many, stretch)) OVER (ORDER BY round, event_id, start) - least(many, stretch) AS before FROM free
      ) AS summed
      WHERE before < quota
    )
    SELECT f.* FROM chosen LEFT JOIN LATERAL (
      SELECT * FROM fan_out
      WHERE event_id = chosen.event_id AND route = of_route AND start = chosen.start AND coalesce(owner, 0) = 0
      FOR UPDATE SKIP LOCKED
    ) AS f ON true
    ORDER BY chosen.round, chosen.event_id, chosen.start
  LOOP
    IF fan.event_id IS NULL THEN
      leased := leased || NULL::leased_work;
      CONTINUE;
    END IF;
    -- Stretches with records were cut before.
    IF fan.targeted > stretch AND fan.recorded = 0 THEN
      SELECT number INTO cut_at FROM subscription
      WHERE channel_id = fan.channel_id AND route = of_route AND active = 1 AND number > fan.cursor AND number <= fan.last
      ORDER BY number OFFSET stretch - 1 LIMIT 1;
      IF cut_at < fan.last THEN
        INSERT INTO fan_out (event_id, route, start, lane, home, workspace_id, channel_id, cursor, last, targeted, expires_at)
        VALUES (fan.event_id, of_route, cut_at, of_lane, fan.home, of_workspace, fan.channel_id, cut_at, fan.last, fan.targeted - stretch,
          fan.expires_at);
        UPDATE fan_out SET last = cut_at, targeted = stretch WHERE event_id = fan.event_id AND route = of_route AND start = fan.start;
        fan.last := cut_at;
        fan.targeted := stretch;
      END IF;
    END IF;
    leased := leased || ROW(
      of_workspace, fan.event_id, of_route, of_lane, fan.home, fan.channel_id, fan.start, fan.cursor, fan.last, fan.targeted - fan.recorded,
      fan.records, NULL, NULL
    )::leased_work;
  END LOOP;
  UPDATE fan_out SET owner = node WHERE ctid = ANY (ARRAY(
    SELECT own.ctid FROM unnest(leased) AS work CROSS JOIN LATERAL (
      SELECT ctid FROM fan_out WHERE event_id = work.event_id AND route = of_route AND start = work.start OFFSET 0
    ) AS own
  ));
  RETURN leased;
END $$;

-- Leases due retries of a workspace, the longest due first.
CREATE OR REPLACE FUNCTION lease_retries(
  node BIGINT, of_route TEXT, of_lane TEXT, of_workspace BIGINT, quota BIGINT, steady_ms BIGINT
) RETURNS leased_work[]
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
  leased leased_work[];
BEGIN
  SELECT array_agg(CASE WHEN d.event_id IS NOT NULL THEN ROW(
      of_workspace, d.event_id, of_route, of_lane, d.home, NULL, NULL, NULL, NULL, 1, NULL, d.device_id, first.due_at
    )::leased_work END)
  INTO leased
  FROM (
    SELECT due_at_home.* FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL (
      SELECT event_id, device_id, due_at FROM delivery
      WHERE state = 'pending' AND owner IS NULL AND route = of_route AND lane = of_lane AND home = of_home
        AND workspace_id = of_workspace AND due_at <= steady_ms
      ORDER BY due_at LIMIT quota
    ) AS due_at_home
    ORDER BY due_at_home.due_at LIMIT quota
  ) AS first
  LEFT JOIN LATERAL (
    SELECT event_id, device_id, home FROM delivery
    WHERE event_id = first.event_id AND device_id = first.device_id AND state = 'pending' AND coalesce(owner, 0) = 0
    FOR UPDATE SKIP LOCKED
  ) AS d ON true;
  UPDATE delivery SET owner = node WHERE ctid = ANY (ARRAY(
    SELECT own.ctid FROM unnest(leased) AS work CROSS JOIN LATERAL (
      SELECT ctid FROM delivery WHERE event_id = work.event_id AND device_id = work.device_id OFFSET 0
    ) AS own
  ));
  RETURN leased;
END $$;

-- Frees some of a node's work.
CREATE OR REPLACE FUNCTION release_work(node BIGINT, work JSON) RETURNS VOID
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  UPDATE fan_out SET owner = NULL WHERE owner = node AND ctid = ANY (ARRAY(
    SELECT own.ctid FROM json_to_recordset(work) AS idle(event_id BIGINT, route TEXT, start BIGINT) CROSS JOIN LATERAL (
      SELECT ctid FROM fan_out WHERE event_id = idle.event_id AND route = idle.route AND start = idle.start FOR UPDATE
    ) AS own
  ));
  UPDATE delivery SET owner = NULL WHERE owner = node AND ctid = ANY (ARRAY(
    SELECT own.ctid FROM json_to_recordset(work) AS idle(event_id BIGINT, device_id BIGINT) CROSS JOIN LATERAL (
      SELECT ctid FROM delivery WHERE event_id = idle.event_id AND device_id = idle.device_id FOR UPDATE
    ) AS own
  ));
  PERFORM touch_topics('{queue}');
END $$;

-- Returns what a node owns.
CREATE OR REPLACE FUNCTION owned_work(node BIGINT) RETURNS SETOF leased_work
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  RETURN QUERY
  SELECT f.workspace_id, f.event_id, f.route, f.lane, f.home, f.channel_id, f.start, f.cursor, f.last, f.targeted - f.recorded, f.records,
    NULL::bigint, NULL::bigint
  FROM fan_out AS f WHERE f.owner = node
  UNION ALL
  SELECT d.workspace_id, d.event_id, d.route, d.lane, d.home, NULL, NULL, NULL, NULL, 1, NULL, d.device_id, d.due_at
  FROM delivery AS d WHERE d.owner = node AND d.state = 'pending';
END $$;

-- Returns the next workspace behind `after` with free work in the lane for this node; NULL: none.
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
      SELECT min(workspace_id) FROM delivery
      WHERE state = 'pending' AND owner IS NULL AND route = of_route AND lane = of_lane AND home = of_home AND workspace_id > after
    ) AS waiting
  );
END $$;

-- Returns the next workspace behind `after` with free events of this home in the lane, from `lowest` on; NULL:
-- none. Most installations have few workspaces. So a seek for each of them skips the finished rows, which a scan of the
-- index would read. `last_events`: by workspace, the event behind which to look first.
--
-- Only the index of free fan-outs (fan_out_free) supports a comparison of all its columns in order. With other indexes,
-- the database reads finished rows one by one if it finds nothing, or if it estimates many. The first look is behind
-- the last leased event of a workspace: rows below it were leased just now, and the database cannot skip them at
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
      AND f.owner IS NULL
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1
  ), (
    SELECT true FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) >= (of_route, of_lane, of_home, of_workspace, lowest)
      AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, latest.event_id)
      AND f.owner IS NULL
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1
  ))
  LIMIT 1;
  IF nearest IS NULL AND cardinality(tried) = 100 THEN
    SELECT f.workspace_id INTO nearest FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id) > (of_route, of_lane, of_home, tried[100])
      AND (f.route, f.lane, f.home) <= (of_route, of_lane, of_home)
      AND f.owner IS NULL AND f.event_id >= lowest
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1;
  END IF;
  RETURN nearest;
END $$;

-- Returns a workspace's free events of this home, in order.
CREATE OR REPLACE FUNCTION free_events(
  of_route TEXT, of_lane TEXT, of_home BIGINT, of_workspace BIGINT, above BIGINT, up_to BIGINT, most BIGINT
) RETURNS TABLE (event_id BIGINT, start BIGINT, many BIGINT)
LANGUAGE plpgsql STABLE ROWS 100
AS $$
BEGIN
  RETURN QUERY SELECT f.event_id, f.start, f.targeted - f.recorded FROM fan_out AS f
  WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) > (of_route, of_lane, of_home, of_workspace, above)
    AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, up_to)
    AND f.owner IS NULL
  ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id, f.start LIMIT most;
END $$;

-- Returns the node holding an event's links, if pushes still need it; else 0. It cannot be evicted before this commits.
CREATE OR REPLACE FUNCTION home_of(of_event BIGINT) RETURNS BIGINT LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  known CONSTANT BIGINT := coalesce(
    (SELECT max(home) FROM fan_out WHERE event_id = of_event AND home <> 0),
    (SELECT max(home) FROM delivery WHERE event_id = of_event AND state = 'pending' AND home <> 0)
  );
BEGIN
  RETURN CASE WHEN known IS NULL THEN 0 ELSE coalesce((SELECT id FROM node WHERE id = known AND NOT is_evicted FOR KEY SHARE), 0) END;
END $$;

