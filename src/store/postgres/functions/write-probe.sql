-- Fails if an event could not be stored now: full disk, locked table, or a failing trigger of the queue.
CREATE OR REPLACE FUNCTION prove_storing() RETURNS VOID LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
BEGIN
  LOCK TABLE event, fan_out, usage, channel IN ROW EXCLUSIVE MODE;
  -- No row: only the triggers of the statement run, and columns are found.
  INSERT INTO fan_out SELECT * FROM fan_out WHERE false;
  UPDATE usage_of_node SET events = events, slot = slot WHERE false;
  UPDATE tally SET count = count, slot = slot WHERE false;
  IF pg_relation_size('room') > 1000000 THEN
    BEGIN
      LOCK TABLE room IN ACCESS EXCLUSIVE MODE NOWAIT;
      TRUNCATE room;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END IF;
  INSERT INTO room VALUES (repeat('x', 820));
END $$;
