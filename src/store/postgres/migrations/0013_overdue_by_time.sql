-- What is over is found by its time, however much else waits.
CREATE INDEX fan_out_by_expiry ON fan_out (expires_at, event_id);
CREATE INDEX event_is_cancelled ON event (id) WHERE cancelled_at IS NOT NULL;

-- Of a pending delivery: the event's `expires_at` when it began to wait.
ALTER TABLE delivery ADD COLUMN expires_at BIGINT;
UPDATE delivery SET expires_at = event.expires_at FROM event WHERE event.id = event_id AND state = 'pending';
CREATE INDEX delivery_by_expiry ON delivery (expires_at, event_id) WHERE state = 'pending';

CREATE FUNCTION expire_with_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.expires_at := (SELECT expires_at FROM event WHERE id = new.event_id);
  RETURN new;
END $$;
CREATE TRIGGER delivery_expires BEFORE INSERT OR UPDATE OF state ON delivery
  FOR EACH ROW WHEN (new.state = 'pending') EXECUTE FUNCTION expire_with_event();

-- Deliveries of an event that is cancelled are found by that.
CREATE FUNCTION move_expiry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE fan_out SET expires_at = new.expires_at WHERE event_id = new.id;
  RETURN NULL;
END $$;
CREATE TRIGGER event_moves_expiry AFTER UPDATE OF expires_at ON event
  FOR EACH ROW WHEN (old.expires_at <> new.expires_at) EXECUTE FUNCTION move_expiry();

DROP FUNCTION overdue_events(BIGINT, BIGINT, BIGINT);
-- The next events that something waits of and whose time was over when that began to wait, in the order of their times, behind one of them.
-- `is_over`: none of it is sent any more now.
CREATE FUNCTION overdue_events(after_time BIGINT, after_event BIGINT, most BIGINT, steady_ms BIGINT)
RETURNS TABLE (id BIGINT, expires_at BIGINT, is_over BOOLEAN)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT waiting.event_id, waiting.expires_at, event.expires_at <= steady_ms AND NOT EXISTS (
    SELECT 1 FROM set_aside WHERE set_aside.event_id = waiting.event_id
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
      WHERE e.cancelled_at IS NOT NULL AND after_time <= 0 AND e.id > CASE WHEN after_time < 0 THEN 0 ELSE after_event END
        AND e.targeted > e.accepted + e.failed + e.unregistered + e.expired + e.withdrawn
      ORDER BY e.id LIMIT most)
    ORDER BY expires_at, event_id LIMIT most
  ) AS waiting
  CROSS JOIN LATERAL (SELECT * FROM event AS e WHERE e.id = waiting.event_id OFFSET 0) AS event
  ORDER BY waiting.expires_at, waiting.event_id;
END $$;
