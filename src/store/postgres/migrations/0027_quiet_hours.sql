-- As in SQLite (0031_quiet_hours.sql). When standard events of a channel make no sound, a JSON object (contract/quiet-hours.ts); NULL: never.
-- `event.quiet`: 1 of those that come then. A column of its own, as older nodes read `event.alert` as what it says of an alert.
ALTER TABLE channel ADD COLUMN quiet TEXT;
ALTER TABLE event ADD COLUMN quiet SMALLINT;
