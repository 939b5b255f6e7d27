-- Runs last in each changing transaction. Returns its newest revocation, if any, and its topics' numbers.
CREATE OR REPLACE FUNCTION record_changes(topics TEXT[], OUT newest_revocation BIGINT, OUT numbers JSON) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change (topic, number) SELECT 'revocations', max(id) FROM revocation HAVING max(id) IS NOT NULL
  ON CONFLICT (topic) DO UPDATE SET number = excluded.number WHERE change.number < excluded.number
  RETURNING number INTO newest_revocation;
  IF newest_revocation IS NOT NULL OR cardinality(topics) > 0 THEN PERFORM touch_topics(topics); END IF;
  SELECT json_object_agg(topic, number) INTO numbers FROM change WHERE topic = ANY (topics);
END $$;

-- Returns a node's news in one snapshot. `oldest`: the oldest schema that a node must know. Leaves `enable_seqscan`
-- on: a full table scan would then cost 10^10, and PostgreSQL would JIT-compile the plan, a hundred times slower than
-- the query.
DROP FUNCTION IF EXISTS read_changes(BIGINT, BIGINT);
CREATE OR REPLACE FUNCTION read_changes(reader BIGINT, revoked_after BIGINT)
RETURNS TABLE (numbers JSON, living BIGINT, work_waits BOOLEAN, revocations JSON, oldest BIGINT)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN QUERY
  SELECT (SELECT coalesce(json_object_agg(topic, number), '{}') FROM change),
    (SELECT count(*) FROM node WHERE lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
    work_waits(reader),
    (SELECT json_agg(json_build_object(
      'workspaceId', workspace_id, 'deviceId', device_id, 'channelId', channel_id, 'eventId', event_id
    )) FROM revocation WHERE id > revoked_after),
    (SELECT s.oldest FROM pushctl_schema AS s);
END $$;

-- Confirms that the node has applied revocations up to this one to its claims.
CREATE OR REPLACE FUNCTION confirm_revocations(living BIGINT, up_to BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  UPDATE node SET revocations_seen = up_to WHERE id = living AND revocations_seen < up_to;
  IF FOUND THEN PERFORM notify_nodes('confirmed'); END IF;
END $$;

-- Counts changes to topics, always by name, so transactions do not deadlock.
CREATE OR REPLACE FUNCTION touch_topics(topics TEXT[]) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change (topic, number) SELECT DISTINCT name, 1 FROM unnest(topics) AS name ORDER BY name
  ON CONFLICT (topic) DO UPDATE SET number = change.number + 1;
  PERFORM notify_nodes('changes');
END $$;

CREATE OR REPLACE FUNCTION notify_nodes(notice TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('pushctl_' || current_schema()::text::regnamespace::oid, notice);
END $$;

-- Whether the queue has free work for this node; NULL: for any.
CREATE OR REPLACE FUNCTION work_waits(reader BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (
      SELECT 1 FROM counted_lanes() AS counted
      LEFT JOIN LATERAL (SELECT event_id FROM queue_floor WHERE route = counted.route AND lane = counted.lane OFFSET 0) AS floor ON true
      CROSS JOIN unnest(ARRAY[0, reader]) AS of_home
      WHERE next_with_events(counted.route, counted.lane, of_home, 0, coalesce(floor.event_id, 0)) IS NOT NULL
    );
END $$;
