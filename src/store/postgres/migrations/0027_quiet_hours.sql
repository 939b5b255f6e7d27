-- As in SQLite (0031_quiet_hours.sql). When standard events of a channel make no sound, a JSON object (contract/quiet-hours.ts); NULL: never.
-- `event.quiet`: 1 of those that come then. A column of its own, as older nodes read `event.alert` as what it says of an alert.
ALTER TABLE channel ADD COLUMN quiet TEXT;
ALTER TABLE event ADD COLUMN quiet SMALLINT;

-- Whether that time is within quiet hours, in the same words as contract/quiet-hours.ts.
CREATE FUNCTION is_quiet(hours TEXT, wall_ms BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
DECLARE
  its JSONB := hours::jsonb;
  from_time TEXT COLLATE "C" := its->>'from';
  to_time TEXT COLLATE "C" := its->>'to';
  here TIMESTAMP;
  here_time TEXT COLLATE "C";
BEGIN
  here := to_timestamp(wall_ms / 1000.0) AT TIME ZONE (its->>'timezone');
  here_time := to_char(here, 'HH24:MI');
  IF from_time >= to_time THEN
    IF here_time < from_time AND here_time >= to_time THEN RETURN false; END IF;
    IF here_time < from_time THEN here := here - interval '1 day'; END IF;
  ELSIF here_time < from_time OR here_time >= to_time THEN
    RETURN false;
  END IF;
  RETURN NOT its ? 'days' OR its->'days' ? to_char(here, 'dy');
EXCEPTION
  -- A database that has been moved may know fewer time zones: rather a sound too many than an event refused.
  WHEN invalid_parameter_value THEN RETURN false;
END $$;

CREATE FUNCTION knows_timezone(name TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE name;
  RETURN true;
EXCEPTION
  WHEN invalid_parameter_value THEN RETURN false;
END $$;
