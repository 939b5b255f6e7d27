-- Returns the queue's time of a moment by the database's clock: without the jumps of that clock (`count_jump`).
CREATE OR REPLACE FUNCTION queue_time(wall_ms BIGINT) RETURNS BIGINT LANGUAGE sql STABLE AS $$
  SELECT wall_ms - coalesce((SELECT skipped_ms FROM queue_clock), 0)
$$;

-- Returns the queue's time now, up to which every node has seen time pass: later deadlines are not over yet. A node that
-- has not beaten for longer may be about to count a jump.
CREATE OR REPLACE FUNCTION vouched_time() RETURNS BIGINT LANGUAGE sql STABLE AS $$
  SELECT queue_time(least(
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    (SELECT min(beaten_at) FROM node WHERE NOT is_evicted) + 30000
  ))
$$;

-- Counts a jump of the clock forward: the node expected `expected_ms` by its own steady clock. Other nodes that were
-- there before may have counted it, or seen the time pass while this node was suspended. What was seen before the clock
-- was set back does not count: the clock may be set forward again. Returns what the clock has skipped in all.
CREATE OR REPLACE FUNCTION count_jump(living BIGINT, expected_ms BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
  now_ms BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  jump_ms BIGINT;
BEGIN
  UPDATE queue_clock SET jumped_at = 0 WHERE jumped_at > now_ms;
  IF now_ms - expected_ms > 30000 THEN
    INSERT INTO queue_clock (id, skipped_ms) VALUES (1, 0) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM queue_clock FOR UPDATE;
    now_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    jump_ms := now_ms - greatest(
      expected_ms,
      (SELECT jumped_at FROM queue_clock),
      (SELECT max(beaten_at) FROM node WHERE id <> living AND beaten_at <= now_ms AND started_at <= expected_ms)
    );
    IF jump_ms > 30000 THEN UPDATE queue_clock SET skipped_ms = skipped_ms + jump_ms, jumped_at = now_ms; END IF;
  END IF;
  RETURN coalesce((SELECT skipped_ms FROM queue_clock), 0);
END $$;

-- Adds a node. Without claims, earlier revocations do not concern it.
CREATE OR REPLACE FUNCTION join_node(of_name TEXT, of_version TEXT, lease_ms BIGINT, OUT node BIGINT, OUT revocations_seen BIGINT) LANGUAGE plpgsql AS $$
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  INSERT INTO node AS self (name, version, started_at, beaten_at, lease_ms, lease_end, revocations_seen)
  SELECT of_name, of_version, now_ms, now_ms, join_node.lease_ms, now_ms + join_node.lease_ms, coalesce((SELECT number FROM change WHERE topic = 'revocations'), 0)
  RETURNING self.id, self.revocations_seen INTO node, join_node.revocations_seen;
  PERFORM touch_topics('{nodes}');
END $$;

-- Renews a valid lease, and evicts nodes whose lease expired. A node with much work is evicted in small parts: no
-- lease waits for the rest. `expected_ms`: the database's time as the node expects it.
CREATE OR REPLACE FUNCTION beat_node(
  living BIGINT, of_address TEXT, of_health TEXT, of_hears BOOLEAN, clock_off BIGINT, expected_ms BIGINT,
  OUT renewed BOOLEAN, OUT now_ms BIGINT, OUT skipped_ms BIGINT
) LANGUAGE plpgsql AS $$
DECLARE
  all_silent CONSTANT BOOLEAN := are_all_silent();
BEGIN
  skipped_ms := count_jump(living, expected_ms);
  now_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  UPDATE node SET lease_end = now_ms + lease_ms, spared = false, address = of_address, health = of_health, hears = of_hears,
    clock_off_ms = clock_off, beaten_at = now_ms
  WHERE id = living AND NOT is_evicted AND (lease_end > now_ms OR all_silent);
  renewed := FOUND;
  PERFORM evict_overdue(all_silent, 500);
END $$;

-- Removes a node in parts. Repeat until true.
CREATE OR REPLACE FUNCTION leave_node(living BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
  is_gone CONSTANT BOOLEAN := evict_node(living, 2000);
BEGIN
  PERFORM touch_topics('{nodes,queue}');
  RETURN is_gone;
END $$;

-- Frees a node's work and webhooks. Works in parts to keep transactions short; the last deletes the node, and first waits
-- for its uncommitted leases and events. Returns whether it is deleted.
CREATE OR REPLACE FUNCTION evict_node(dead BIGINT, most BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  is_last BOOLEAN;
BEGIN
  UPDATE node SET is_evicted = true, lease_end = least(lease_end, now_ms) WHERE id = dead AND NOT is_evicted;
  is_last := NOT free_some_of(dead, most);
  IF is_last THEN DELETE FROM node WHERE id = dead; END IF;
  UPDATE webhook SET busy_until = 0, busy_node = 0 WHERE busy_until > 0 AND busy_node = dead;
  IF is_last THEN
    UPDATE fan_out SET owner = NULL WHERE owner = dead;
    UPDATE fan_out SET home = 0 WHERE home = dead AND home <> 0;
    UPDATE delivery SET owner = NULL WHERE owner = dead;
    UPDATE delivery SET home = 0 WHERE home = dead AND home <> 0 AND state = 'pending';
  END IF;
  RETURN is_last;
END $$;

-- Frees some of a node's work, and some events whose links it held. Returns whether there may be more.
CREATE OR REPLACE FUNCTION free_some_of(dead BIGINT, most BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  changed BIGINT;
  is_left BOOLEAN := false;
BEGIN
  UPDATE fan_out SET owner = NULL, home = CASE WHEN home = dead THEN 0 ELSE home END WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM fan_out WHERE owner = dead LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  is_left := is_left OR changed = most;
  UPDATE fan_out SET home = 0 WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM fan_out WHERE home = dead AND home <> 0 LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  is_left := is_left OR changed = most;
  UPDATE delivery SET owner = NULL, home = CASE WHEN home = dead THEN 0 ELSE home END WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM delivery WHERE owner = dead LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  is_left := is_left OR changed = most;
  UPDATE delivery SET home = 0 WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM delivery WHERE home = dead AND home <> 0 AND state = 'pending' LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN is_left OR changed = most;
END $$;

-- Evicts nodes with expired leases, up to `most` rows of each. Returns whether rows are left. Skips nodes being
-- evicted. The database's clock may be set: after a jump forward (`all_silent`), nodes get one more lease; after a jump
-- back, no lease outlasts a new one.
--
-- An evicted node may not have announced its last changes (`missed`), so the others' apps reload everything.
CREATE OR REPLACE FUNCTION evict_overdue(all_silent BOOLEAN, most BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  other RECORD;
  any_dead BOOLEAN := false;
  any_lost BOOLEAN := false;
  is_left BOOLEAN := false;
BEGIN
  FOR other IN
    SELECT id, lease_end, spared, is_evicted FROM node
    WHERE is_evicted OR lease_end <= now_ms OR lease_end > now_ms + lease_ms FOR UPDATE SKIP LOCKED
  LOOP
    IF other.is_evicted OR other.lease_end <= now_ms AND (other.spared OR NOT all_silent) THEN
      any_dead := true;
      any_lost := any_lost OR NOT other.is_evicted;
      IF NOT evict_node(other.id, most) THEN is_left := true; END IF;
    ELSE
      UPDATE node SET lease_end = now_ms + lease_ms, beaten_at = least(beaten_at, now_ms), spared = spared OR other.lease_end <= now_ms
      WHERE id = other.id;
    END IF;
  END LOOP;
  IF any_dead THEN PERFORM touch_topics(CASE WHEN any_lost THEN '{missed,nodes,queue}' ELSE '{nodes,queue}' END::TEXT[]); END IF;
  RETURN is_left;
END $$;

-- Whether no node renewed its lease recently: at most 40 % left.
CREATE OR REPLACE FUNCTION are_all_silent() RETURNS BOOLEAN LANGUAGE sql AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM node WHERE lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint + lease_ms * 4 / 10
  )
$$;

-- Returns how many nodes have not confirmed these revocations. They count until their eviction begins, not the lease's
-- end: they may be renewing it.
CREATE OR REPLACE FUNCTION nodes_behind(up_to BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
  behind BIGINT;
BEGIN
  PERFORM evict_overdue(are_all_silent(), 500);
  SELECT count(*) INTO behind FROM node WHERE revocations_seen < up_to AND NOT is_evicted;
  IF behind = 0 THEN DELETE FROM revocation WHERE id <= up_to; END IF;
  RETURN behind;
END $$;

-- Fails if the node's lease is over. The node cannot be evicted before this commits.
CREATE OR REPLACE FUNCTION hold_lease(node BIGINT) RETURNS VOID LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM 1 FROM node AS self
  WHERE self.id = hold_lease.node AND self.lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PU001', MESSAGE = 'the lease of this node is over';
  END IF;
END $$;

-- Fails if the node's lease is over. Locks nothing, so that reading is no transaction to write to the log.
CREATE OR REPLACE FUNCTION check_lease(node BIGINT) RETURNS VOID LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM node AS self
    WHERE self.id = check_lease.node AND self.lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint AND NOT self.is_evicted
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'PU001', MESSAGE = 'the lease of this node is over';
  END IF;
END $$;
