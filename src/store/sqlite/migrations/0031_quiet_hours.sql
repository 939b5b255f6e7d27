-- When standard events of a channel make no sound, a JSON object (contract/quiet-hours.ts); NULL: never. Events that come then have it in
-- `event.alert`, also where they belong to no alert.
ALTER TABLE channel ADD COLUMN quiet TEXT;
