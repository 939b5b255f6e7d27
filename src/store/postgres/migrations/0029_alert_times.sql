-- As in SQLite (0033_alert_times.sql). When the times of an alert were set, by the clock of the queue: none of them is later than its own length
-- after that. NULL: not known. And `due_at` is there until a round has seen that the alert has ended.
ALTER TABLE alert ADD COLUMN set_at BIGINT;
CREATE INDEX alert_set ON alert (set_at) WHERE due_at IS NOT NULL;

DROP INDEX event_is_cancelled;
CREATE INDEX event_is_taken_back ON event (id) WHERE expires_at = 0;
