-- What was taken back before its time counts for a day in how many events of a workspace may wait for theirs. The last bundle of a channel
-- is found without what waits in it.
CREATE INDEX event_taken_back ON event (workspace_id, cancelled_at) WHERE kind = 'cancelled';
CREATE INDEX event_of_alerts ON event (channel_id, id) WHERE kind IN ('reminder', 'notice');
