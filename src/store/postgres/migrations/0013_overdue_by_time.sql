-- What is over is found by its time, however much else waits.
CREATE INDEX fan_out_by_expiry ON fan_out (expires_at, event_id);
CREATE INDEX event_is_cancelled ON event (id) WHERE cancelled_at IS NOT NULL;

-- Of a pending delivery: the event's `expires_at` when it began to wait.
ALTER TABLE delivery ADD COLUMN expires_at BIGINT;
UPDATE delivery SET expires_at = event.expires_at FROM event WHERE event.id = event_id AND state = 'pending';
CREATE INDEX delivery_by_expiry ON delivery (expires_at, event_id) WHERE state = 'pending';

DROP FUNCTION IF EXISTS overdue_events(BIGINT, BIGINT, BIGINT);
