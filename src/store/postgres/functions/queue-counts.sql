-- Counts a moved store's whole queue. Nothing else may change meanwhile.
CREATE OR REPLACE FUNCTION count_queue() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM queue_change;
  INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
  SELECT route, lane, workspace_id, sum(waiting), sum(deferred) FROM (
    SELECT route, lane, workspace_id, targeted - recorded AS waiting, 0 AS deferred FROM fan_out
    UNION ALL
    SELECT route, lane, workspace_id, 0, 1 FROM delivery WHERE state = 'pending'
  ) AS waiting
  GROUP BY route, lane, workspace_id;
END $$;

-- Fan-outs that become free again may lie below the floor of their lane.
CREATE OR REPLACE FUNCTION count_fan_outs() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
      SELECT route, lane, workspace_id, sum(targeted - recorded), 0 FROM come GROUP BY route, lane, workspace_id;
    WHEN 'DELETE' THEN
      INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
      SELECT route, lane, workspace_id, -sum(targeted - recorded), 0 FROM gone
      GROUP BY route, lane, workspace_id HAVING sum(targeted - recorded) <> 0;
    ELSE
      INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
      SELECT route, lane, workspace_id, sum(many), 0 FROM (
        SELECT route, lane, workspace_id, targeted - recorded AS many FROM come
        UNION ALL
        SELECT route, lane, workspace_id, recorded - targeted FROM gone
      ) AS change
      GROUP BY route, lane, workspace_id HAVING sum(many) <> 0;
      IF EXISTS (SELECT 1 FROM come WHERE owner IS NULL) THEN
        UPDATE queue_floor AS f SET event_id = least(f.event_id, freed.lowest), next = freed.lowest
        FROM (SELECT route, lane, min(event_id) AS lowest FROM come WHERE owner IS NULL GROUP BY route, lane) AS freed
        WHERE f.route = freed.route AND f.lane = freed.lane AND f.next > freed.lowest;
      END IF;
  END CASE;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER fan_outs_come AFTER INSERT ON fan_out REFERENCING NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_fan_outs();
CREATE OR REPLACE TRIGGER fan_outs_change AFTER UPDATE ON fan_out REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_fan_outs();
CREATE OR REPLACE TRIGGER fan_outs_go AFTER DELETE ON fan_out REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_fan_outs();

CREATE OR REPLACE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
      SELECT route, lane, workspace_id, 0, count(*) FROM come WHERE state = 'pending' GROUP BY route, lane, workspace_id;
    WHEN 'DELETE' THEN
      INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
      SELECT route, lane, workspace_id, 0, -count(*) FROM gone WHERE state = 'pending' GROUP BY route, lane, workspace_id;
    ELSE
      INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
      SELECT route, lane, workspace_id, 0, sum(many) FROM (
        SELECT route, lane, workspace_id, 1 AS many FROM come WHERE state = 'pending'
        UNION ALL
        SELECT route, lane, workspace_id, -1 FROM gone WHERE state = 'pending'
      ) AS change
      GROUP BY route, lane, workspace_id HAVING sum(many) <> 0;
  END CASE;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER deliveries_come AFTER INSERT ON delivery REFERENCING NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE OR REPLACE TRIGGER deliveries_change AFTER UPDATE ON delivery REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE OR REPLACE TRIGGER deliveries_go AFTER DELETE ON delivery REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

-- Returns lanes in which pushes may wait: few, without an index.
CREATE OR REPLACE FUNCTION counted_lanes() RETURNS TABLE (route TEXT, lane TEXT) LANGUAGE plpgsql STABLE SET enable_seqscan = on AS $$
BEGIN
  RETURN QUERY SELECT DISTINCT c.route, c.lane FROM queue_change AS c WHERE c.lane <> 'dead_letter';
END $$;

-- Combines counts and raises floors, every few seconds. `settled_ms`: the age from which leases use a floor.
CREATE OR REPLACE FUNCTION tend_queue(settled_ms BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  newest CONSTANT BIGINT := newest_event_id();
  at_work CONSTANT XID8 := pg_snapshot_xmax(pg_current_snapshot());
  of RECORD;
  lowest BIGINT;
BEGIN
  IF NOT pg_try_advisory_xact_lock(5, current_schema()::text::regnamespace::oid::int) THEN RETURN false; END IF;
  -- Skips workspaces with a single row.
  WITH of_lane AS MATERIALIZED (
    SELECT route, lane, workspace_id, sum(waiting) AS waiting, sum(deferred) AS deferred, count(*) AS many
    FROM queue_change GROUP BY route, lane, workspace_id
  ), gone AS (
    DELETE FROM queue_change AS old USING of_lane AS counted
    WHERE old.route = counted.route AND old.lane = counted.lane AND old.workspace_id = counted.workspace_id
      AND (counted.many > 1 OR counted.workspace_id <> 0 AND counted.waiting = 0 AND counted.deferred = 0)
  )
  INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
  SELECT route, lane, workspace_id, waiting, deferred FROM of_lane WHERE many > 1 AND (waiting <> 0 OR deferred <> 0 OR workspace_id = 0)
  UNION ALL
  SELECT route, lane, 0, 0, 0 FROM of_lane GROUP BY route, lane HAVING min(workspace_id) > 0;
  FOR of IN
    SELECT route, lane, f.next, f.next_at, f.next_xid FROM counted_lanes() LEFT JOIN queue_floor AS f USING (route, lane)
  LOOP
    CONTINUE WHEN of.next_at > now_ms - settled_ms AND of.next_at <= now_ms;
    lowest := coalesce((SELECT min(event_id) FROM first_in_lane(of.route, of.lane)), newest + 1);
    IF of.next IS NULL THEN
      INSERT INTO queue_floor (route, lane, event_id, next, next_at, next_xid) VALUES (of.route, of.lane, 0, lowest, now_ms, at_work)
      ON CONFLICT DO NOTHING;
    ELSIF of.next_xid <= pg_snapshot_xmin(pg_current_snapshot()) THEN
      UPDATE queue_floor SET event_id = least(of.next, lowest), next = lowest, next_at = now_ms, next_xid = at_work
      WHERE route = of.route AND lane = of.lane AND next = of.next;
    END IF;
  END LOOP;
  RETURN true;
END $$;
