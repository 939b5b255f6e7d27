-- The last of a transaction that changes something. Returns its newest revocation, if it made any, and the numbers of all topics.
CREATE OR REPLACE FUNCTION tell_news(topics TEXT[], OUT newest_end BIGINT, OUT numbers JSON) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO news (topic, number) SELECT 'ends', max(id) FROM told_end HAVING max(id) IS NOT NULL
  ON CONFLICT (topic) DO UPDATE SET number = excluded.number WHERE news.number < excluded.number
  RETURNING number INTO newest_end;
  IF newest_end IS NOT NULL OR cardinality(topics) > 0 THEN PERFORM touch_topics(topics); END IF;
  SELECT json_object_agg(topic, number) INTO numbers FROM news WHERE topic = ANY (topics);
END $$;

-- All that a node has to hear of, at one moment. Without a setting that plans depend on: read as a whole, a table without a fitting index costs
-- 10^10 beside `enable_seqscan = off`, and PostgreSQL compiles what costs so much, for a hundred times as long as it takes.
CREATE OR REPLACE FUNCTION read_news(reader BIGINT, ends_after BIGINT)
RETURNS TABLE (numbers JSON, living BIGINT, work_waits BOOLEAN, ends JSON)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN QUERY
  SELECT (SELECT coalesce(json_object_agg(topic, number), '{}') FROM news),
    (SELECT count(*) FROM node WHERE lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
    work_waits(reader),
    (SELECT json_agg(json_build_object(
      'workspaceId', workspace_id, 'deviceId', device_id, 'channelId', channel_id, 'eventId', event_id
    )) FROM told_end WHERE id > ends_after);
END $$;

-- What the node has out is marked, as far as the ends up to there concern it.
CREATE OR REPLACE FUNCTION confirm_ends(living BIGINT, up_to BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  UPDATE node SET ends_seen = up_to WHERE id = living AND ends_seen < up_to;
  IF FOUND THEN PERFORM notify_nodes('confirmed'); END IF;
END $$;

-- Topics in their order, as everywhere: so no two transactions wait for each other.
CREATE OR REPLACE FUNCTION touch_topics(topics TEXT[]) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO news (topic, number) SELECT DISTINCT name, 1 FROM unnest(topics) AS name ORDER BY name
  ON CONFLICT (topic) DO UPDATE SET number = news.number + 1;
  PERFORM notify_nodes('news');
END $$;

CREATE OR REPLACE FUNCTION notify_nodes(notice TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('pushctl_' || current_schema()::text::regnamespace::oid, notice);
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
