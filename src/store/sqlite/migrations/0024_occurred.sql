-- When what the event tells of happened, as its sender says; NULL: the sender does not. Nothing goes by it.
ALTER TABLE event ADD COLUMN occurred_at INTEGER;
