-- Whether events can be stored is proved by a row that takes a page of its own: a disk that is full has room for a changed row, and none for
-- a page. Nothing tidies the table up, or its pages would be used again.
CREATE TABLE room (filler TEXT NOT NULL) WITH (fillfactor = 10, autovacuum_enabled = false);
ALTER TABLE room ALTER filler SET STORAGE PLAIN;

-- Fails where an event could not be stored now: without room, or while somebody has locked what it is stored in.
CREATE FUNCTION prove_storing() RETURNS VOID LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
BEGIN
  LOCK TABLE event, fan_out, usage, channel IN ROW EXCLUSIVE MODE;
  IF pg_relation_size('room') > 1000000 THEN
    BEGIN
      LOCK TABLE room IN ACCESS EXCLUSIVE MODE NOWAIT;
      TRUNCATE room;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END IF;
  INSERT INTO room VALUES (repeat('x', 820));
END $$;
