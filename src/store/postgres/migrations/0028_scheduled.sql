-- As in SQLite (0032_scheduled.sql). Events that are sent later. `send_at`: when, as it was posted, by the wall clock. While that is to come,
-- `kind` is 'scheduled', and such an event is in no list and not in the queue. At its time it becomes another row, behind all that came
-- before; `posted_at` and `announced` are then when it was accepted, and for how many devices. One that was taken back before is
-- 'cancelled', one that a restore has ended 'restored'.
ALTER TABLE event ADD COLUMN send_at BIGINT, ADD COLUMN posted_at BIGINT, ADD COLUMN announced BIGINT;
CREATE INDEX event_scheduled ON event (send_at, id) WHERE kind = 'scheduled';
CREATE INDEX event_scheduled_of_workspace ON event (workspace_id, id) WHERE kind = 'scheduled';
-- What was taken back counts for a day in how many may wait; the last bundle of a channel is found without what waits in it.
CREATE INDEX event_taken_back ON event (workspace_id, cancelled_at) WHERE kind = 'cancelled';
CREATE INDEX event_of_alerts ON event (channel_id, id) WHERE kind IN ('reminder', 'notice');

DROP FUNCTION IF EXISTS accept_events(
  BIGINT, BIGINT, BIGINT, BIGINT, TEXT[], BIGINT[], BOOLEAN, TEXT[], TEXT[], BIGINT[], TEXT[], TEXT[], INTEGER[], BOOLEAN[], BOOLEAN[], TEXT[],
  TEXT[], SMALLINT[], TEXT[], BIGINT[], TEXT[], TEXT[], TEXT[], TEXT[], TEXT[], TEXT[], BIGINT[], BIGINT[], BOOLEAN
);
