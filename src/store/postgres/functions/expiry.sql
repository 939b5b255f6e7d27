-- Returns the next events whose time was over when their pushes began to wait, by time, behind the given one. Cancelled
-- events and those of ended alerts come first. `is_over`: none of its pushes is sent any more.
CREATE OR REPLACE FUNCTION overdue_events(after_time BIGINT, after_event BIGINT, most BIGINT, steady_ms BIGINT)
RETURNS TABLE (id BIGINT, expires_at BIGINT, is_over BOOLEAN)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT waiting.event_id, waiting.expires_at, event.expires_at <= steady_ms AND NOT EXISTS (
    SELECT 1 FROM dead_letter WHERE dead_letter.event_id = waiting.event_id
  )
  FROM (
    (SELECT f.event_id, f.expires_at FROM fan_out AS f
      WHERE f.expires_at <= steady_ms AND (f.expires_at, f.event_id) > (after_time, after_event)
      ORDER BY f.expires_at, f.event_id LIMIT most)
    UNION
    (SELECT d.event_id, d.expires_at FROM delivery AS d
      WHERE d.state = 'pending' AND d.expires_at <= steady_ms AND (d.expires_at, d.event_id) > (after_time, after_event)
      ORDER BY d.expires_at, d.event_id LIMIT most)
    UNION
    (SELECT e.id, 0 FROM event AS e
      WHERE e.expires_at = 0 AND after_time = 0 AND e.id > after_event
        AND e.targeted > e.accepted + e.failed + e.unregistered + e.expired + e.withdrawn
      ORDER BY e.id LIMIT most)
    ORDER BY expires_at, event_id LIMIT most
  ) AS waiting
  CROSS JOIN LATERAL (SELECT * FROM event AS e WHERE e.id = waiting.event_id OFFSET 0) AS event
  ORDER BY waiting.expires_at, waiting.event_id;
END $$;

-- Ends an event's waiting pushes: fan-outs and up to `most` retries that are free, or that the node owns and has not claimed
-- (`idle_fan_outs`, `idle_retries`). Returns the event, once, if nothing is pending. `left_over`: free retries wait.
CREATE OR REPLACE FUNCTION end_event(
  of_event BIGINT, most BIGINT, node BIGINT, idle_fan_outs JSON, idle_retries BIGINT[], wall_ms BIGINT, steady_ms BIGINT,
  OUT finished BYTEA, OUT left_over BOOLEAN
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  fan_outs fan_out_record[];
  lines verdict_line[];
BEGIN
  -- It may have been sent again meanwhile.
  left_over := false;
  IF NOT EXISTS (SELECT 1 FROM event WHERE id = of_event AND expires_at <= steady_ms) THEN RETURN; END IF;
  SELECT array_agg(ROW(f.event_id, f.route, f.start, 0, 0, true, 0, NULL, NULL)::fan_out_record) INTO fan_outs FROM (
    SELECT event_id, route, start FROM fan_out WHERE event_id = of_event AND (owner IS NULL OR owner = node AND EXISTS (
      SELECT 1 FROM json_to_recordset(idle_fan_outs) AS idle(route TEXT, start BIGINT)
      WHERE idle.route = fan_out.route AND idle.start = fan_out.start
    )) ORDER BY route, start FOR UPDATE
  ) AS f;
  IF fan_outs IS NOT NULL THEN
    finished := (SELECT ended FROM advance_fan_outs(fan_outs, node, wall_ms, steady_ms) AS ended LIMIT 1);
  END IF;
  SELECT array_agg(line) INTO lines FROM (
    SELECT ROW(
      of_event, NULL, d.workspace_id, event.channel_id, d.route, d.lane, 0,
      CASE WHEN event.cancelled_at IS NULL THEN 'expired' ELSE 'withdrawn' END,
      CASE WHEN event.cancelled_at IS NULL THEN 'ttl' ELSE 'cancelled' END, 0, NULL, false, false, NULL, array_agg(d.device_id)
    )::verdict_line AS line
    FROM (
      SELECT * FROM delivery WHERE event_id = of_event AND state = 'pending'
        AND (owner IS NULL OR owner = node AND device_id = ANY (idle_retries))
      -- The node has forgotten its idle ones, which are at most as many.
      ORDER BY owner IS NULL, device_id LIMIT most FOR UPDATE
    ) AS d JOIN event ON event.id = of_event
    GROUP BY d.workspace_id, event.channel_id, d.route, d.lane, event.cancelled_at
  ) AS ended;
  IF lines IS NOT NULL THEN
    finished := coalesce((SELECT ended FROM record_verdicts(lines, node, wall_ms, steady_ms) AS ended LIMIT 1), finished);
  END IF;
  left_over := EXISTS (SELECT 1 FROM delivery WHERE event_id = of_event AND state = 'pending' AND owner IS NULL);
END $$;

-- A waiting push expires with its event. If it waits again, the links' node sends it.
CREATE OR REPLACE FUNCTION expire_with_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  parent RECORD;
BEGIN
  SELECT expires_at, had_links INTO parent FROM event WHERE id = new.event_id;
  new.expires_at := parent.expires_at;
  IF new.home = 0 AND parent.had_links = 1 THEN new.home := home_of(new.event_id); END IF;
  RETURN new;
END $$;
CREATE OR REPLACE TRIGGER delivery_expires BEFORE INSERT OR UPDATE OF state ON delivery
  FOR EACH ROW WHEN (new.state = 'pending') EXECUTE FUNCTION expire_with_event();

-- Moves the expiry of fan-outs. A cancelled event's deliveries are found by the event's.
CREATE OR REPLACE FUNCTION move_expiry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE fan_out SET expires_at = new.expires_at WHERE event_id = new.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER event_moves_expiry AFTER UPDATE OF expires_at ON event
  FOR EACH ROW WHEN (old.expires_at <> new.expires_at) EXECUTE FUNCTION move_expiry();
