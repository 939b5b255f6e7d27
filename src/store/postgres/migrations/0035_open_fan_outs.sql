-- Whether something is left to claim of it, in a column of its own: by a condition on how far it is claimed, each page that is claimed of an event
-- for many devices would go into all indexes of the table. Only its last does so now.
ALTER TABLE fan_out ADD COLUMN is_open BOOLEAN NOT NULL DEFAULT true;
UPDATE fan_out SET is_open = false WHERE claimed_to >= last;
ALTER TABLE fan_out ADD CONSTRAINT fan_out_is_open CHECK (is_open = (claimed_to < last));
DROP INDEX fan_out_open;
CREATE INDEX fan_out_open ON fan_out (route, lane, home, workspace_id, event_id) WHERE is_open;

-- As before, but for that column.
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
  UPDATE fan_out SET claimed_to = last, is_open = false
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM unnest(parts) WHERE is_end)) AND route = of_route;
  FOR part IN SELECT * FROM unnest(parts) WHERE is_last AND NOT is_end LOOP
    UPDATE fan_out SET claimed_to = part.to_number, is_open = part.to_number < last WHERE event_id = part.event_id AND route = of_route;
  END LOOP;
  RETURN parts;
END $$;
