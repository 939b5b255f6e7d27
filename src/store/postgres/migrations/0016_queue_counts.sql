-- How much waits, as changes that are summed when they are read: whoever adds one waits for nobody, and what a look costs does not grow with
-- what waits. `waiting`: targets of fan-outs without a delivery; `deferred`: deliveries that are pending. `tend_queue` makes few rows of many.
CREATE TABLE queue_change (
  route    TEXT COLLATE "C" NOT NULL,
  lane     TEXT COLLATE "C" NOT NULL,
  waiting  BIGINT NOT NULL,
  deferred BIGINT NOT NULL
);

-- No fan-out of the lane has anything left to claim whose event's id is below `event_id`. Claims begin there: behind it may be very many that
-- are done and that the database cannot forget while somebody, such as pg_dump, still sees what was before. `next`: what it may be raised
-- to, once nobody is left who was at work when that was looked up.
CREATE TABLE queue_floor (
  route    TEXT COLLATE "C" NOT NULL,
  lane     TEXT COLLATE "C" NOT NULL,
  event_id BIGINT NOT NULL,
  next     BIGINT NOT NULL,
  next_at  BIGINT NOT NULL,
  next_xid XID8 NOT NULL,
  PRIMARY KEY (route, lane)
) WITH (fillfactor = 50);

-- Of what is recorded of a fan-out, `fan_out_progress` tells in the same way, as long as the fan-out is there: so where both go, the fan-out
-- goes first, or in a statement before.
CREATE FUNCTION count_new_fan_outs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO queue_change (route, lane, waiting, deferred) SELECT route, lane, sum(targeted), 0 FROM come GROUP BY route, lane;
  RETURN NULL;
END $$;
CREATE TRIGGER fan_outs_come AFTER INSERT ON fan_out REFERENCING NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_fan_outs();

CREATE FUNCTION count_old_fan_outs() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO queue_change (route, lane, waiting, deferred)
  SELECT g.route, g.lane, sum(coalesce(p.recorded, 0) - g.targeted), 0
  FROM gone AS g
  LEFT JOIN LATERAL (SELECT recorded FROM fan_out_progress WHERE event_id = g.event_id AND route = g.route OFFSET 0) AS p ON true
  GROUP BY g.route, g.lane;
  RETURN NULL;
END $$;
CREATE TRIGGER fan_outs_go AFTER DELETE ON fan_out REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_old_fan_outs();

CREATE FUNCTION move_fan_out() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  waiting CONSTANT BIGINT := new.targeted - recorded(new);
BEGIN
  INSERT INTO queue_change (route, lane, waiting, deferred)
  VALUES (old.route, old.lane, -waiting, 0), (new.route, new.lane, waiting, 0);
  DELETE FROM queue_floor AS f WHERE f.route = new.route AND f.lane = new.lane;
  RETURN NULL;
END $$;
CREATE TRIGGER fan_out_changes_lane AFTER UPDATE OF lane ON fan_out
  FOR EACH ROW WHEN (old.lane <> new.lane) EXECUTE FUNCTION move_fan_out();

CREATE FUNCTION count_progress() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  its CONSTANT fan_out_progress := CASE TG_OP WHEN 'DELETE' THEN old ELSE new END;
  more CONSTANT BIGINT := CASE TG_OP WHEN 'DELETE' THEN 0 ELSE new.recorded END - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE old.recorded END;
BEGIN
  INSERT INTO queue_change (route, lane, waiting, deferred)
  SELECT route, lane, -more, 0 FROM fan_out WHERE event_id = its.event_id AND route = its.route;
  RETURN NULL;
END $$;
CREATE TRIGGER progress_is_counted AFTER INSERT OR UPDATE OR DELETE ON fan_out_progress FOR EACH ROW EXECUTE FUNCTION count_progress();

CREATE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      INSERT INTO queue_change (route, lane, waiting, deferred)
      SELECT route, lane, 0, count(*) FROM come WHERE state = 'pending' GROUP BY route, lane;
    WHEN 'DELETE' THEN
      INSERT INTO queue_change (route, lane, waiting, deferred)
      SELECT route, lane, 0, -count(*) FROM gone WHERE state = 'pending' GROUP BY route, lane;
    ELSE
      INSERT INTO queue_change (route, lane, waiting, deferred)
      SELECT route, lane, 0, sum(many) FROM (
        SELECT route, lane, 1 AS many FROM come WHERE state = 'pending'
        UNION ALL
        SELECT route, lane, -1 FROM gone WHERE state = 'pending'
      ) AS each
      GROUP BY route, lane HAVING sum(many) <> 0;
  END CASE;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_come AFTER INSERT ON delivery REFERENCING NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER deliveries_change AFTER UPDATE ON delivery REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER deliveries_go AFTER DELETE ON delivery REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

-- Counts all that waits, where nobody else is at it: what was moved here as a whole.
CREATE FUNCTION count_queue() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM queue_change;
  INSERT INTO queue_change (route, lane, waiting, deferred)
  SELECT route, lane, sum(waiting), sum(deferred) FROM (
    SELECT route, lane, targeted AS waiting, 0 AS deferred FROM fan_out
    UNION ALL
    SELECT f.route, f.lane, -p.recorded, 0 FROM fan_out_progress AS p JOIN fan_out AS f ON f.event_id = p.event_id AND f.route = p.route
    UNION ALL
    SELECT route, lane, 0, 1 FROM delivery WHERE state = 'pending'
  ) AS each
  GROUP BY route, lane;
END $$;
SELECT count_queue();

-- The next workspace behind `after` with events of this home that something is left to claim of in the lane, from `lowest` on; NULL: none. Most
-- installations have few workspaces: a seek for each passes by what is done, where the index would be read through it.
CREATE FUNCTION next_with_events(of_route TEXT, of_lane TEXT, of_home BIGINT, after BIGINT, lowest BIGINT) RETURNS BIGINT
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  tried CONSTANT BIGINT[] := ARRAY(SELECT id FROM workspace WHERE id > after ORDER BY id LIMIT 100);
  nearest BIGINT;
BEGIN
  SELECT of_workspace INTO nearest FROM unnest(tried) AS of_workspace WHERE (
    SELECT true FROM fan_out
    WHERE route = of_route AND lane = of_lane AND home = of_home AND workspace_id = of_workspace AND claimed_to < last
      AND event_id >= lowest LIMIT 1
  ) LIMIT 1;
  IF nearest IS NULL AND cardinality(tried) = 100 THEN
    SELECT min(workspace_id) INTO nearest FROM fan_out
    WHERE route = of_route AND lane = of_lane AND home = of_home AND claimed_to < last AND workspace_id > tried[100]
      AND event_id >= lowest;
  END IF;
  RETURN nearest;
END $$;

-- Of each workspace, and each home, the first event that something is left to claim of in the lane: a seek each, however much waits.
CREATE FUNCTION first_in_lane(of_route TEXT, of_lane TEXT) RETURNS TABLE (workspace_id BIGINT, event_id BIGINT)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  lowest CONSTANT BIGINT := coalesce((SELECT event_id FROM queue_floor WHERE route = of_route AND lane = of_lane), 0);
  of_home BIGINT;
  of_workspace BIGINT;
BEGIN
  FOR of_home IN SELECT 0 UNION ALL SELECT id FROM node LOOP
    of_workspace := next_with_events(of_route, of_lane, of_home, 0, lowest);
    WHILE of_workspace IS NOT NULL LOOP
      RETURN QUERY SELECT of_workspace, f.event_id FROM fan_out AS f
      WHERE f.route = of_route AND f.lane = of_lane AND f.home = of_home AND f.workspace_id = of_workspace AND f.claimed_to < f.last
        AND f.event_id >= lowest
      ORDER BY f.event_id LIMIT 1;
      of_workspace := next_with_events(of_route, of_lane, of_home, of_workspace, lowest);
    END LOOP;
  END LOOP;
END $$;

-- The same of retries, by when they are due.
CREATE FUNCTION first_due(of_route TEXT, of_lane TEXT) RETURNS TABLE (workspace_id BIGINT, due_at BIGINT)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  head RECORD;
  at_home BIGINT := -1;
  at_workspace BIGINT := 0;
BEGIN
  LOOP
    SELECT d.home, d.workspace_id, d.due_at INTO head FROM delivery AS d
    WHERE d.state = 'pending' AND d.claim_id IS NULL AND d.route = of_route AND d.lane = of_lane
      AND (d.home, d.workspace_id) > (at_home, at_workspace)
    ORDER BY d.home, d.workspace_id, d.due_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    at_home := head.home;
    at_workspace := head.workspace_id;
    RETURN QUERY SELECT head.workspace_id, head.due_at;
  END LOOP;
END $$;

-- To be asked every few seconds, by any node. `settled_ms`: for how long a floor stands before claims go by it.
CREATE FUNCTION tend_queue(settled_ms BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  newest CONSTANT BIGINT := newest_event_id();
  at_work CONSTANT XID8 := pg_snapshot_xmax(pg_current_snapshot());
  of RECORD;
  lowest BIGINT;
BEGIN
  IF NOT pg_try_advisory_xact_lock(5, current_schema()::text::regnamespace::oid::int) THEN RETURN; END IF;
  WITH gone AS (DELETE FROM queue_change RETURNING *)
  INSERT INTO queue_change (route, lane, waiting, deferred)
  SELECT route, lane, sum(waiting), sum(deferred) FROM gone GROUP BY route, lane;
  FOR of IN
    SELECT route, lane, f.next, f.next_at, f.next_xid FROM queue_change LEFT JOIN queue_floor AS f USING (route, lane)
    WHERE lane <> 'set_aside' GROUP BY route, lane, f.next, f.next_at, f.next_xid
  LOOP
    CONTINUE WHEN of.next_at > now_ms - settled_ms AND of.next_at <= now_ms;
    lowest := coalesce((SELECT min(event_id) FROM first_in_lane(of.route, of.lane)), newest + 1);
    IF of.next IS NULL THEN
      INSERT INTO queue_floor (route, lane, event_id, next, next_at, next_xid) VALUES (of.route, of.lane, 0, lowest, now_ms, at_work)
      ON CONFLICT DO NOTHING;
    ELSIF of.next_xid <= pg_snapshot_xmin(pg_current_snapshot()) THEN
      UPDATE queue_floor SET event_id = least(of.next, lowest), next = lowest, next_at = now_ms, next_xid = at_work
      WHERE route = of.route AND lane = of.lane;
    END IF;
  END LOOP;
END $$;

-- As before, but for what is counted of a fan-out: that goes after it.
CREATE OR REPLACE FUNCTION advance_fan_outs(
  lines verdict_line[], of_route TEXT, closed BIGINT[], node BIGINT, wall_ms BIGINT, steady_ms BIGINT
) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  over BIGINT[];
  fan RECORD;
  ended BYTEA;
BEGIN
  -- Who settles the last page of one must see that the others are gone: it waits for them here. Claims go on meanwhile.
  PERFORM 1 FROM fan_out WHERE event_id = ANY (closed) AND route = of_route AND claimed_to >= last ORDER BY event_id FOR UPDATE;
  PERFORM 1 FROM fan_out WHERE event_id = ANY (closed) AND route = of_route AND last - claimed_to > 0 ORDER BY event_id FOR KEY SHARE;

  SELECT array_agg(f.event_id) INTO over FROM (SELECT DISTINCT id FROM unnest(closed) AS id) AS each CROSS JOIN LATERAL (
    SELECT event_id FROM fan_out WHERE event_id = each.id AND route = of_route AND claimed_to >= last AND (
      SELECT true FROM claim AS c WHERE c.event_id = each.id AND c.route = of_route AND c.from_number < c.to_number LIMIT 1
    ) IS NULL OFFSET 0
  ) AS f;

  FOR fan IN
    WITH ended AS (
      DELETE FROM fan_out AS f WHERE event_id = ANY (over) AND route = of_route RETURNING event_id, workspace_id, channel_id,
        targeted - coalesce((SELECT p.recorded FROM fan_out_progress AS p WHERE p.event_id = f.event_id AND p.route = of_route), 0) AS count
    )
    SELECT event_id, min(workspace_id) AS workspace_id, min(channel_id) AS channel_id, sum(count)::bigint AS unreached FROM (
      SELECT event_id, workspace_id, channel_id, count FROM ended
      UNION ALL
      SELECT event_id, NULL, NULL, -cardinality(device_ids) FROM unnest(lines) WHERE is_page AND route = of_route
    ) AS each
    GROUP BY event_id HAVING sum(count) > 0 ORDER BY event_id
  LOOP
    ended := book_unreached(fan.event_id, of_route, fan.workspace_id, fan.channel_id, fan.unreached, node, wall_ms, steady_ms);
    IF ended IS NOT NULL THEN RETURN NEXT ended; END IF;
  END LOOP;
  DELETE FROM fan_out_progress WHERE event_id = ANY (over) AND route = of_route;
  -- Of those that go on.
  INSERT INTO fan_out_progress (event_id, route, recorded)
  SELECT event_id, of_route, sum(cardinality(device_ids)) FROM unnest(lines) AS line
  WHERE is_page AND route = of_route AND (SELECT true FROM fan_out AS f WHERE f.event_id = line.event_id AND f.route = of_route)
  GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id, route) DO UPDATE SET recorded = fan_out_progress.recorded + excluded.recorded;
END $$;

-- The lanes in which something may wait. They are few, and in a table without an index.
CREATE FUNCTION counted_lanes() RETURNS TABLE (route TEXT, lane TEXT) LANGUAGE plpgsql STABLE SET enable_seqscan = on AS $$
BEGIN
  RETURN QUERY SELECT DISTINCT c.route, c.lane FROM queue_change AS c WHERE c.lane <> 'set_aside';
END $$;

-- Whether something waits that this node may claim; of NULL: that any may.
CREATE OR REPLACE FUNCTION work_waits(reader BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (
      SELECT 1 FROM counted_lanes() AS its
      LEFT JOIN LATERAL (SELECT event_id FROM queue_floor WHERE route = its.route AND lane = its.lane OFFSET 0) AS floor ON true
      CROSS JOIN unnest(ARRAY[0, reader]) AS of_home
      WHERE next_with_events(its.route, its.lane, of_home, 0, coalesce(floor.event_id, 0)) IS NOT NULL
    ) OR EXISTS (SELECT 1 FROM claim WHERE node_id IS NULL AND lane <> 'set_aside');
END $$;
