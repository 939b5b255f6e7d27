-- The node that holds an event's links, where something of it still waits for that one; else 0. It cannot be buried before this is committed.
CREATE FUNCTION home_of(of_event BIGINT) RETURNS BIGINT LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  known CONSTANT BIGINT := coalesce(
    (SELECT max(home) FROM fan_out WHERE event_id = of_event AND home <> 0),
    (SELECT max(home) FROM claim WHERE event_id = of_event AND home <> 0),
    (SELECT max(home) FROM delivery WHERE event_id = of_event AND state = 'pending' AND home <> 0)
  );
BEGIN
  RETURN CASE WHEN known IS NULL THEN 0 ELSE coalesce((SELECT id FROM node WHERE id = known FOR KEY SHARE), 0) END;
END $$;

-- As before; and a push that waits anew is sent by the node that still holds the links of its event.
CREATE OR REPLACE FUNCTION expire_with_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  its RECORD;
BEGIN
  SELECT expires_at, had_links INTO its FROM event WHERE id = new.event_id;
  new.expires_at := its.expires_at;
  IF new.home = 0 AND its.had_links = 1 THEN new.home := home_of(new.event_id); END IF;
  RETURN new;
END $$;
