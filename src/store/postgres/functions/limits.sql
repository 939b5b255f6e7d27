-- Returns a rolling_window row with as many wanted uses as are free. After a clock setback, counted uses keep their
-- age: none waits for that time again.
CREATE OR REPLACE FUNCTION use_window(known rolling_window, asked rolling_window, now_ms BIGINT) RETURNS rolling_window
LANGUAGE plpgsql AS $$
DECLARE
  here CONSTANT BIGINT := now_ms / known.slot_ms;
  moved CONSTANT INTEGER := least(here - known.slot, 61);
  oldest BIGINT := CASE WHEN here < known.slot THEN known.oldest - known.slot + here ELSE known.oldest END;
  counts INTEGER[] := known.counts;
  used BIGINT := known.used;
  seen BIGINT;
BEGIN
  IF moved > 0 THEN
    IF oldest <= here - 61 THEN
      FOR place IN 62 - moved .. least(known.slot - oldest + 1, 61) LOOP used := used - counts[place]; END LOOP;
      oldest := here - 60;
    END IF;
    counts := array_fill(0, ARRAY[moved]) || counts[1 : 61 - moved];
  END IF;
  known.free := greatest(asked.most - used, 0);
  counts[1] := counts[1] + least(asked.wanted, known.free);
  used := used + least(asked.wanted, known.free);
  WHILE oldest < here AND counts[here - oldest + 1] = 0 LOOP oldest := oldest + 1; END LOOP;
  known.slot := here;
  known.oldest := oldest;
  known.counts := counts;
  known.used := used;
  seen := counts[here - oldest + 1];
  WHILE oldest < here AND seen <= used - asked.most LOOP
    oldest := oldest + 1;
    seen := seen + counts[here - oldest + 1];
  END LOOP;
  known.reset_ms := CASE WHEN used = 0 THEN 0 ELSE (oldest + 61) * known.slot_ms - now_ms END;
  RETURN known;
END $$;

-- Counts one use under all names, or none. `reset_ms`: until all are free; NULL: counted.
CREATE OR REPLACE FUNCTION use_all(names TEXT[], most BIGINT[], windows_ms BIGINT[], given_ms BIGINT, OUT reset_ms BIGINT, OUT counted_at BIGINT[])
LANGUAGE plpgsql AS $$
DECLARE
  counted_names TEXT[];
BEGIN
  SELECT max(counted.reset_ms) FILTER (WHERE free = 0), array_agg(name) FILTER (WHERE free > 0), array_agg(at) FILTER (WHERE free > 0)
  INTO use_all.reset_ms, counted_names, counted_at
  FROM count_uses(names, array_fill(1::bigint, ARRAY[cardinality(names)]), most, windows_ms, given_ms) AS counted;
  IF use_all.reset_ms IS NOT NULL THEN
    PERFORM take_back_uses(counted_names, counted_at);
    counted_at := '{}';
  END IF;
END $$;

-- Counts uses per name independently, by the time after waiting for other transactions.
CREATE OR REPLACE FUNCTION count_uses(names TEXT[], wanted BIGINT[], most BIGINT[], windows_ms BIGINT[], given_ms BIGINT)
RETURNS TABLE (name TEXT, free BIGINT, reset_ms BIGINT, at BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  now_ms CONSTANT BIGINT := coalesce(given_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
BEGIN
  RETURN QUERY
  INSERT INTO rolling_window AS known (name, slot_ms, slot, oldest, counts, used, wanted, most, free, reset_ms)
  SELECT name, slot_ms, here, here, ARRAY[least(wanted, most)::integer] || array_fill(0, ARRAY[60]), least(wanted, most), wanted, most,
    most, (here + 61) * slot_ms - now_ms
  FROM unnest(names, wanted, most, windows_ms) AS use(name, wanted, most, window_ms),
    LATERAL (SELECT window_ms / 60 AS slot_ms, now_ms / (window_ms / 60) AS here) AS place
  ORDER BY name
  ON CONFLICT ON CONSTRAINT rolling_window_pkey DO UPDATE SET (slot, oldest, counts, used, free, reset_ms) = (
    SELECT next.slot, next.oldest, next.counts, next.used, next.free, next.reset_ms
    FROM use_window(known, excluded, coalesce(given_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)) AS next
  )
  RETURNING known.name, known.free, known.reset_ms, known.slot * known.slot_ms;
END $$;

-- Undoes uses counted at these times.
CREATE OR REPLACE FUNCTION take_back_uses(names TEXT[], counted_at BIGINT[]) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  counted_use RECORD;
BEGIN
  FOR counted_use IN SELECT * FROM unnest(names, counted_at) AS use(name, at) ORDER BY name LOOP
    UPDATE rolling_window AS known SET counts[slot - counted_use.at / slot_ms + 1] = counts[slot - counted_use.at / slot_ms + 1] - 1, used = used - 1
    WHERE known.name = counted_use.name AND counts[slot - counted_use.at / slot_ms + 1] > 0;
  END LOOP;
END $$;
