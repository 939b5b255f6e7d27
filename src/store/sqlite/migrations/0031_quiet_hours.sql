-- When standard events of a channel make no sound, a JSON object (contract/quiet-hours.ts); NULL: never. `event.quiet`: 1 of those that come
-- then.
ALTER TABLE channel ADD COLUMN quiet TEXT;
ALTER TABLE event ADD COLUMN quiet INTEGER;
