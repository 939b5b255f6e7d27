-- Here and in all that works off the queue: fan-outs are locked before events, each in the order of ids, so that two nodes seldom meet
-- the other way round; where they do, one is begun again.

-- The bucket of src/histogram.ts.
CREATE FUNCTION latency_bucket(duration_ms BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN duration_ms < 1 THEN 0 ELSE floor(ln(duration_ms) / ln(2.0::float8) * 4 + 1e-9) + 1 END)::bigint::text
$$;

-- Writes verdicts: counts on the event and by the hour, deliveries, tries, and what a device has turned out to be. Of an event that was
-- deleted nothing is written. Answers the events of which nothing is pending any more.
CREATE FUNCTION record_verdicts(lines JSON, node BIGINT, wall_ms BIGINT, steady_ms BIGINT) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  this_hour CONSTANT BIGINT := wall_ms - wall_ms % 3600000;
BEGIN
  RETURN QUERY
  WITH line AS MATERIALIZED (
    SELECT *, retry_in_ms IS NOT NULL AS waits FROM json_to_recordset(lines) AS one(
      event_id BIGINT, device_id BIGINT, workspace_id BIGINT, channel_id BIGINT, route TEXT, lane TEXT, state TEXT, reason TEXT,
      spent SMALLINT, retry_in_ms BIGINT, fitted BOOLEAN, links_lost BOOLEAN
    )
  ), sums AS MATERIALIZED (
    SELECT event_id, workspace_id, route,
      count(*) FILTER (WHERE state = 'accepted') AS accepted, count(*) FILTER (WHERE state = 'failed') AS failed,
      count(*) FILTER (WHERE state = 'unregistered') AS unregistered, count(*) FILTER (WHERE state = 'expired') AS expired,
      count(*) FILTER (WHERE state = 'withdrawn') AS withdrawn, count(*) FILTER (WHERE state = 'accepted' AND fitted) AS fitted
    FROM line GROUP BY event_id, workspace_id, route ORDER BY event_id
  ), counted AS (
    UPDATE event SET
      accepted = event.accepted + sums.accepted, failed = event.failed + sums.failed,
      unregistered = event.unregistered + sums.unregistered, expired = event.expired + sums.expired,
      withdrawn = event.withdrawn + sums.withdrawn, fitted = event.fitted + sums.fitted,
      first_accepted_at = CASE WHEN sums.accepted > 0 THEN coalesce(first_accepted_at, wall_ms) ELSE first_accepted_at END,
      last_accepted_at = CASE WHEN sums.accepted > 0 THEN wall_ms ELSE last_accepted_at END
    FROM (
      SELECT event_id, sum(accepted)::bigint AS accepted, sum(failed)::bigint AS failed, sum(unregistered)::bigint AS unregistered,
        sum(expired)::bigint AS expired, sum(withdrawn)::bigint AS withdrawn, sum(fitted)::bigint AS fitted
      FROM sums GROUP BY event_id ORDER BY event_id
    ) AS sums
    WHERE event.id = sums.event_id
    RETURNING event.id, event.uuid, event.received_at,
      event.targeted - event.accepted - event.failed - event.unregistered - event.expired - event.withdrawn AS pending
  ), recorded AS (
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at)
    SELECT event_id, device_id, workspace_id, route, lane, CASE WHEN waits THEN 'pending' ELSE state END, spent, reason, wall_ms,
      steady_ms + retry_in_ms
    FROM line WHERE event_id IN (SELECT id FROM counted) ORDER BY event_id, device_id
    ON CONFLICT (event_id, device_id) DO UPDATE SET state = excluded.state, lane = excluded.lane,
      attempts = delivery.attempts + excluded.attempts, reason = excluded.reason, at = excluded.at, due_at = excluded.due_at,
      claim_id = NULL
    RETURNING event_id, device_id, attempts
  ), tried AS (
    INSERT INTO attempt (event_id, device_id, number, at, reason)
    SELECT event_id, device_id, recorded.attempts, wall_ms, reason
    FROM line JOIN recorded USING (event_id, device_id) WHERE waits AND spent = 1
  ), tallied AS (
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, node_id, count)
    SELECT this_hour, workspace_id, channel_id, route, measure, reason, node, sum(count) FROM (
      SELECT workspace_id, coalesce(channel_id, 0) AS channel_id, route, CASE WHEN waits THEN 'deferred' ELSE state END AS measure,
        coalesce(reason, '') AS reason, 1 AS count
      FROM line WHERE (NOT waits OR spent = 1) AND event_id IN (SELECT id FROM counted)
      UNION ALL
      SELECT workspace_id, coalesce(channel_id, 0), route, 'fitted', '', 1
      FROM line WHERE state = 'accepted' AND fitted AND event_id IN (SELECT id FROM counted)
      UNION ALL
      SELECT workspace_id, coalesce(channel_id, 0), route, 'links_lost', '', 1
      FROM line WHERE state = 'accepted' AND links_lost AND event_id IN (SELECT id FROM counted)
      UNION ALL
      SELECT workspace_id, 0, route, 'latency', latency_bucket(wall_ms - received_at), accepted
      FROM sums JOIN counted ON counted.id = sums.event_id WHERE accepted > 0
    ) AS each
    GROUP BY workspace_id, channel_id, route, measure, reason
    ORDER BY workspace_id, channel_id, route, measure, reason
    ON CONFLICT (hour, workspace_id, channel_id, route, measure, reason, node_id)
    DO UPDATE SET count = tally.count + excluded.count
  )
  SELECT uuid FROM counted WHERE pending <= 0;
END $$;

-- What verdicts tell of devices: each must still be the one that was addressed, by its token, and not have registered again since.
CREATE FUNCTION learn_of_devices(learned JSON, wall_ms BIGINT) RETURNS VOID
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  line RECORD;
BEGIN
  FOR line IN
    SELECT * FROM json_to_recordset(learned) AS one(device_id BIGINT, state TEXT, reason TEXT, token TEXT, at_ms BIGINT)
    ORDER BY device_id
  LOOP
    IF line.state = 'accepted' THEN
      UPDATE device SET accepted_at = coalesce(accepted_at, wall_ms), refused_at = NULL, refused_reason = NULL
      WHERE id = line.device_id AND token = line.token;
    ELSIF line.state = 'held' THEN
      UPDATE device SET refused_at = coalesce(refused_at, wall_ms), refused_reason = line.reason
      WHERE id = line.device_id AND token = line.token AND status = 'active';
    ELSE
      UPDATE device SET status = 'inactive', inactive_reason = line.reason, refused_at = NULL, refused_reason = NULL
      WHERE id = line.device_id AND token = line.token AND status = 'active' AND registered_at <= coalesce(line.at_ms, wall_ms);
      IF FOUND THEN
        UPDATE subscription SET active = 0 WHERE device_id = line.device_id;
      END IF;
    END IF;
  END LOOP;
END $$;

-- Closes a fan-out that nothing is out of. Who was never reached counts as expired, or as withdrawn if they left meanwhile. Answers the
-- event if nothing of it is pending any more.
CREATE FUNCTION end_fan_out(
  of_route TEXT, of_lane TEXT, of_workspace BIGINT, of_event BIGINT, node BIGINT, wall_ms BIGINT, steady_ms BIGINT
) RETURNS BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  of_channel BIGINT;
  unreached BIGINT;
  ending RECORD;
  ended RECORD;
BEGIN
  DELETE FROM claim WHERE event_id = of_event AND route = of_route AND node_id IS NULL AND from_number < to_number;
  DELETE FROM fan_out
  WHERE route = of_route AND lane = of_lane AND workspace_id = of_workspace AND event_id = of_event
  RETURNING channel_id, targeted - recorded INTO of_channel, unreached;
  IF NOT FOUND OR unreached <= 0 THEN RETURN NULL; END IF;
  SELECT CASE WHEN cancelled_at IS NULL AND expires_at <= steady_ms THEN 'expired' ELSE 'withdrawn' END AS state,
    CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled' WHEN expires_at <= steady_ms THEN 'ttl' ELSE 'gone' END AS reason
  INTO ending
  FROM event JOIN workspace ON workspace.id = event.workspace_id JOIN channel ON channel.id = event.channel_id
  WHERE event.id = of_event;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE event SET
    expired = expired + CASE ending.state WHEN 'expired' THEN unreached ELSE 0 END,
    withdrawn = withdrawn + CASE ending.state WHEN 'withdrawn' THEN unreached ELSE 0 END
  WHERE id = of_event
  RETURNING uuid, targeted - accepted - failed - unregistered - expired - withdrawn AS pending INTO ended;
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, node_id, count)
  VALUES (wall_ms - wall_ms % 3600000, of_workspace, of_channel, of_route, ending.state, ending.reason, node, unreached)
  ON CONFLICT (hour, workspace_id, channel_id, route, measure, reason, node_id)
  DO UPDATE SET count = tally.count + excluded.count;
  RETURN CASE WHEN ended.pending <= 0 THEN ended.uuid END;
END $$;

-- Settles lines of claims, and takes away the claims that are `done`. Of one that is not this node's any more nothing is written.
CREATE FUNCTION settle_claims(
  lines JSON, learned JSON, done BIGINT[], node BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT
) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '15s'
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  steady_ms CONSTANT BIGINT := coalesce(given_steady_ms, wall_ms);
  ours BIGINT[];
  kept JSON;
  fan RECORD;
  ended BYTEA;
BEGIN
  SELECT coalesce(array_agg(id), '{}') INTO ours FROM (
    SELECT id FROM claim
    WHERE node_id = node AND (
      id = ANY (done) OR id IN (SELECT claim_id FROM json_to_recordset(lines) AS line(claim_id BIGINT))
    )
    ORDER BY id FOR UPDATE
  ) AS held;
  SELECT json_agg(line) INTO kept
  FROM json_array_elements(lines) AS line WHERE (line ->> 'claim_id')::bigint = ANY (ours);

  UPDATE fan_out SET recorded = recorded + settled.count
  FROM (
    SELECT claim.route, claim.lane, claim.workspace_id, claim.event_id, count(*) AS count
    FROM json_to_recordset(coalesce(kept, '[]')) AS line(claim_id BIGINT) JOIN claim ON claim.id = line.claim_id
    WHERE claim.from_number < claim.to_number
    GROUP BY 1, 2, 3, 4 ORDER BY 4, 1
  ) AS settled
  WHERE fan_out.route = settled.route AND fan_out.lane = settled.lane AND fan_out.workspace_id = settled.workspace_id
    AND fan_out.event_id = settled.event_id;
  IF kept IS NOT NULL THEN
    RETURN QUERY SELECT * FROM record_verdicts(kept, node, wall_ms, steady_ms);
    IF learned IS NOT NULL THEN PERFORM learn_of_devices(learned, wall_ms); END IF;
  END IF;

  FOR fan IN
    WITH gone AS (
      DELETE FROM claim WHERE id = ANY (ours) AND id = ANY (done)
      RETURNING route, lane, workspace_id, event_id, from_number < to_number AS is_page
    )
    SELECT DISTINCT event_id, route, lane, workspace_id FROM gone WHERE is_page ORDER BY event_id, route
  LOOP
    -- Whoever settles the last page of it comes after the others here, and sees that they are gone.
    PERFORM 1 FROM fan_out
    WHERE route = fan.route AND lane = fan.lane AND workspace_id = fan.workspace_id AND event_id = fan.event_id
      AND claimed_to >= last
    FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    CONTINUE WHEN EXISTS (
      SELECT 1 FROM claim WHERE event_id = fan.event_id AND route = fan.route AND from_number < to_number
    );
    ended := end_fan_out(fan.route, fan.lane, fan.workspace_id, fan.event_id, node, wall_ms, steady_ms);
    IF ended IS NOT NULL THEN RETURN NEXT ended; END IF;
  END LOOP;
END $$;
