-- The highest subscription number at the event's acceptance, for its retries: a device that left the channel and came back
-- has a higher one, and gets nothing of it. NULL: a test push, or an event from before.
ALTER TABLE event ADD COLUMN last_subscription INTEGER;
