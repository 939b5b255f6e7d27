-- Ends what waits of an event that is not sent any more: its fan-outs that nobody has out, and up to `most` of its retries. Answers the
-- event, once, if nothing of it is pending any more; `left_over`: whether some retries wait still that nobody has out.
CREATE FUNCTION end_event(
  of_event BIGINT, most BIGINT, node BIGINT, wall_ms BIGINT, steady_ms BIGINT, OUT finished BYTEA, OUT left_over BOOLEAN
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  of_route TEXT;
  lines verdict_line[];
BEGIN
  FOR of_route IN SELECT route FROM fan_out WHERE event_id = of_event ORDER BY route LOOP
    finished := coalesce(end_fan_out(of_event, of_route, node, wall_ms, steady_ms), finished);
  END LOOP;
  SELECT array_agg(line) INTO lines FROM (
    SELECT ROW(
      of_event, NULL, false, d.workspace_id, event.channel_id, d.route, d.lane, 0,
      CASE WHEN event.cancelled_at IS NULL THEN 'expired' ELSE 'withdrawn' END,
      CASE WHEN event.cancelled_at IS NULL THEN 'ttl' ELSE 'cancelled' END, 0, NULL, false, false, array_agg(d.device_id)
    )::verdict_line AS line
    FROM (
      SELECT * FROM delivery WHERE event_id = of_event AND state = 'pending' AND claim_id IS NULL
      ORDER BY device_id LIMIT most FOR UPDATE
    ) AS d JOIN event ON event.id = of_event
    GROUP BY d.workspace_id, event.channel_id, d.route, d.lane, event.cancelled_at
  ) AS each;
  IF lines IS NOT NULL THEN
    finished := coalesce((SELECT * FROM record_verdicts(lines, node, wall_ms, steady_ms)), finished);
  END IF;
  left_over := EXISTS (SELECT 1 FROM delivery WHERE event_id = of_event AND state = 'pending' AND claim_id IS NULL);
END $$;

-- The next events behind `after` that something waits of and that are not sent any more.
CREATE FUNCTION overdue_events(after BIGINT, most BIGINT, steady_ms BIGINT) RETURNS SETOF BIGINT
LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
  WITH RECURSIVE waiting AS (
    SELECT least(
      (SELECT min(event_id) FROM fan_out WHERE event_id > after),
      (SELECT min(event_id) FROM delivery WHERE state = 'pending' AND event_id > after)
    ) AS id
    UNION ALL
    SELECT least(
      (SELECT min(event_id) FROM fan_out WHERE event_id > waiting.id),
      (SELECT min(event_id) FROM delivery WHERE state = 'pending' AND event_id > waiting.id)
    )
    FROM waiting WHERE waiting.id IS NOT NULL
  )
  SELECT event.id FROM waiting JOIN event ON event.id = waiting.id
  WHERE event.expires_at <= steady_ms AND NOT EXISTS (SELECT 1 FROM set_aside WHERE event_id = event.id)
  LIMIT most
$$;
