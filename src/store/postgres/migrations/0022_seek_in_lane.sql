-- As before, but for how the next of what is open is found. Nothing but the index of what is open (fan_out_open) serves a comparison with
-- all of its columns, in its order: by the others, the database read one by one what is done where it found nothing, or what it took for
-- much. And it is looked for behind the last event that was claimed of a workspace first: what lies below was done just now, and the
-- database cannot pass by it at once.
DROP FUNCTION next_waiting_workspace(TEXT, TEXT, BIGINT, BIGINT, BIGINT);
DROP FUNCTION next_with_events(TEXT, TEXT, BIGINT, BIGINT, BIGINT);
DROP FUNCTION claim_new_pages(BIGINT, BIGINT, TEXT, TEXT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT);

-- Of a workspace, those of which something is left to claim, in their order.
CREATE FUNCTION open_events(
  of_route TEXT, of_lane TEXT, of_home BIGINT, of_workspace BIGINT, above BIGINT, up_to BIGINT, most BIGINT
) RETURNS TABLE (event_id BIGINT, targeted BIGINT)
LANGUAGE plpgsql STABLE ROWS 100
AS $$
BEGIN
  RETURN QUERY SELECT f.event_id, f.targeted FROM fan_out AS f
  WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) > (of_route, of_lane, of_home, of_workspace, above)
    AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, up_to)
    AND f.claimed_to < f.last
  ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT most;
END $$;

-- The next workspace behind `after` with events of this home that something is left to claim of in the lane, from `lowest` on; NULL: none.
-- `last_events`: by workspace, behind which event to look first.
CREATE FUNCTION next_with_events(
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
      AND f.claimed_to < f.last
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1
  ), (
    SELECT true FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id, f.event_id) >= (of_route, of_lane, of_home, of_workspace, lowest)
      AND (f.route, f.lane, f.home, f.workspace_id, f.event_id) <= (of_route, of_lane, of_home, of_workspace, latest.event_id)
      AND f.claimed_to < f.last
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1
  ))
  LIMIT 1;
  IF nearest IS NULL AND cardinality(tried) = 100 THEN
    SELECT f.workspace_id INTO nearest FROM fan_out AS f
    WHERE (f.route, f.lane, f.home, f.workspace_id) > (of_route, of_lane, of_home, tried[100])
      AND (f.route, f.lane, f.home) <= (of_route, of_lane, of_home)
      AND f.claimed_to < f.last AND f.event_id >= lowest
    ORDER BY f.route, f.lane, f.home, f.workspace_id, f.event_id LIMIT 1;
  END IF;
  RETURN nearest;
END $$;

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

-- The next workspace behind `after` with something that waits in the lane and that this node may send; NULL: none.
CREATE FUNCTION next_waiting_workspace(
  of_route TEXT, of_lane TEXT, node BIGINT, after BIGINT, lowest BIGINT, last_events JSONB
) RETURNS BIGINT
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN (
    SELECT min(each.id)
    FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL (
      SELECT next_with_events(of_route, of_lane, of_home, after, lowest, last_events) AS id
      UNION ALL
      SELECT min(workspace_id) FROM claim
      WHERE node_id IS NULL AND route = of_route AND lane = of_lane AND home = of_home AND workspace_id > after
      UNION ALL
      SELECT min(workspace_id) FROM delivery
      WHERE state = 'pending' AND claim_id IS NULL AND route = of_route AND lane = of_lane AND home = of_home AND workspace_id > after
    ) AS each
  );
END $$;

-- New pages: events take turns behind the event `behind`, then from the floor on.
CREATE FUNCTION claim_new_pages(
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
      -- Only where those ahead are too few: what is done lies between.
      SELECT 2, f.event_id, f.targeted
      FROM unnest(ARRAY[0, node]) AS of_home CROSS JOIN LATERAL open_events(of_route, of_lane, of_home, of_workspace, lowest - 1, behind, quota) AS f
      WHERE of_event IS NULL AND (SELECT count(*) FROM ahead) < quota
    ) AS each
  ), chosen AS MATERIALIZED (
    -- As many as the quota may need; each gets up to `cap`, so that a large one leaves room for the others.
    SELECT round, event_id, cap FROM (
      SELECT round, event_id, cap, sum(least(targeted, cap)) OVER (ORDER BY round, event_id) - least(targeted, cap) AS before
      FROM (SELECT *, greatest(batch_size, quota / many / batch_size * batch_size) AS cap FROM open) AS each
    ) AS each
    WHERE before < quota ORDER BY round, event_id
  ), fan AS MATERIALIZED (
    SELECT chosen.round, chosen.cap, f.*
    FROM chosen LEFT JOIN LATERAL (
      SELECT event_id, channel_id, home, claimed_to, last, expires_at FROM fan_out
      WHERE event_id = chosen.event_id AND route = of_route AND last - claimed_to > 0
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS f ON true
  ), target AS MATERIALIZED (
    -- Of a fan-out without any, one row without a number.
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
      SELECT piece.*, lag(high, 1, claimed_to) OVER its AS begins, lead(high) OVER its IS NULL AS is_last,
        sum(size) OVER (PARTITION BY round, event_id) AS handed
      FROM piece WINDOW its AS (PARTITION BY round, event_id ORDER BY high)
    ) AS in_order
  )
  SELECT array_agg(made ORDER BY round, event_id, high) INTO parts FROM (
    SELECT ROW(
      id, event_id, channel_id, home, begins, CASE WHEN is_end THEN last ELSE high END, size, is_last, is_end
    )::claimed_part AS made, round, event_id, high
    FROM part
    UNION ALL
    SELECT NULL::claimed_part, round, NULL, NULL FROM fan WHERE event_id IS NULL
  ) AS each;
  INSERT INTO claim (event_id, id, node_id, request, home, route, lane, workspace_id, from_number, to_number, size)
  SELECT event_id, id, node, request, home, of_route, of_lane, of_workspace, from_number, to_number, size FROM unnest(parts) WHERE id IS NOT NULL;
  UPDATE fan_out SET claimed_to = last
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM unnest(parts) WHERE is_end)) AND route = of_route;
  FOR part IN SELECT * FROM unnest(parts) WHERE is_last AND NOT is_end LOOP
    UPDATE fan_out SET claimed_to = part.to_number WHERE event_id = part.event_id AND route = of_route;
  END LOOP;
  RETURN parts;
END $$;

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
    -- First each of them in turn, then again those that may have more.
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
      -- One that is alone has longer turns, of which half are for retries.
      goal := least(
        taken + greatest(batch_size, CASE cardinality(again) WHEN 1 THEN (most - taken) / 2 / batch_size * batch_size END), most
      );
      turn := again[1];
      again := again[2:];
    END IF;
    CONTINUE WHEN NOT EXISTS (SELECT 1 FROM workspace WHERE id = turn AND status = 'active')
      OR EXISTS (SELECT 1 FROM remains WHERE holds = 1 AND workspace_id = turn);
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
