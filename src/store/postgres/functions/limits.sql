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

-- Counts uses per name independently, by the time after waiting for other transactions. A row moves on in its index with
-- its slot, as in counters.sql.
CREATE OR REPLACE FUNCTION count_uses(names TEXT[], wanted BIGINT[], most BIGINT[], windows_ms BIGINT[], given_ms BIGINT)
RETURNS TABLE (name TEXT, free BIGINT, reset_ms BIGINT, at BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  use RECORD;
  known rolling_window;
  asked rolling_window;
  next rolling_window;
BEGIN
  FOR use IN SELECT * FROM unnest(names, wanted, most, windows_ms) AS given(name, wanted, most, window_ms) ORDER BY name LOOP
    known := lock_window(use.name, use.window_ms / 60);
    asked := known;
    asked.wanted := use.wanted;
    asked.most := use.most;
    next := use_window(known, asked, coalesce(given_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint));
    UPDATE rolling_window AS w SET slot = next.slot, oldest = next.oldest, counts = next.counts, used = next.used, wanted = use.wanted,
      most = use.most, free = next.free, reset_ms = next.reset_ms
    WHERE w.name = known.name AND w.slot = known.slot;
    RETURN QUERY SELECT next.name, next.free, next.reset_ms, next.slot * next.slot_ms;
  END LOOP;
END $$;

-- Locks a window, and adds it if there is none. All begin in slot 0: one of them wins.
CREATE OR REPLACE FUNCTION lock_window(of_name TEXT, slot_ms BIGINT) RETURNS rolling_window LANGUAGE plpgsql AS $$
DECLARE
  known rolling_window;
BEGIN
  LOOP
    SELECT * INTO known FROM rolling_window WHERE name = of_name ORDER BY slot DESC LIMIT 1 FOR UPDATE;
    IF FOUND THEN RETURN known; END IF;
    INSERT INTO rolling_window VALUES (of_name, lock_window.slot_ms, 0, 0, array_fill(0, ARRAY[61]), 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
  END LOOP;
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
