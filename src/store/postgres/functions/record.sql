-- Queue tables are empty most of the time, and a plan made then stays, such as one that scans a table for each row of
-- another. So queue functions do not join tables: they find rows by key and list, or one by one with LATERAL (OFFSET
-- 0).
--
-- All functions of the queue lock fan-outs before events, each in the order of ids, so that deadlocks are rare. After a
-- deadlock, the transaction is retried.

-- Records verdicts on what the node owns, and how far its fan-outs are. Skips work that is no longer the node's, and
-- records that were recorded before: their number is not the fan-out's next, and their retries are free again or done.
-- Returns the events without pushes left.
CREATE OR REPLACE FUNCTION record_pushes(
  posted JSON, learned JSON, posted_fan_outs JSON, node BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT
) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  steady_ms CONSTANT BIGINT := coalesce(given_steady_ms, queue_time(wall_ms));
  lines verdict_line[];
  fan_outs fan_out_record[];
  are_own BOOLEAN[];
BEGIN
  SELECT array_agg(asked.record) FILTER (WHERE own.is_own), array_agg(coalesce(own.is_own, false) ORDER BY asked.nth) INTO fan_outs, are_own
  FROM (
    SELECT record, row_number() OVER () AS nth FROM json_populate_recordset(NULL::fan_out_record, posted_fan_outs) AS record
  ) AS asked LEFT JOIN LATERAL (
    SELECT true AS is_own FROM fan_out
    WHERE event_id = (asked.record).event_id AND route = (asked.record).route AND start = (asked.record).start
      AND coalesce(owner, 0) = node AND records + 1 = (asked.record).number
    FOR UPDATE
  ) AS own ON true;
  SELECT array_agg(line) INTO lines FROM json_populate_recordset(NULL::verdict_line, posted) AS line
  WHERE fan_out IS NULL OR are_own[fan_out];
  IF EXISTS (SELECT 1 FROM unnest(lines) WHERE fan_out IS NULL) THEN
    SELECT array_agg(of_owned.line) INTO lines FROM (
      SELECT line FROM unnest(lines) AS line WHERE line.fan_out IS NOT NULL
      UNION ALL
      SELECT ROW(
        line.event_id, NULL, line.workspace_id, line.channel_id, line.route, line.lane, line.home, line.state, line.reason, line.spent,
        line.retry_in_ms, line.fitted, line.links_lost, line.kept_s, owned.ids
      )::verdict_line
      FROM unnest(lines) AS line CROSS JOIN LATERAL (
        SELECT array_agg(device_id) AS ids FROM (
          SELECT d.device_id FROM unnest(line.device_ids) AS of_device CROSS JOIN LATERAL (
            SELECT device_id FROM delivery
            WHERE event_id = line.event_id AND device_id = of_device AND state = 'pending' AND coalesce(owner, 0) = node
            FOR UPDATE
          ) AS d
        ) AS locked
      ) AS owned
      WHERE line.fan_out IS NULL AND owned.ids IS NOT NULL
    ) AS of_owned;
  END IF;
  IF lines IS NOT NULL THEN
    RETURN QUERY SELECT * FROM record_verdicts(lines, node, wall_ms, steady_ms);
    IF learned IS NOT NULL THEN
      PERFORM learn_of_devices(learned, wall_ms);
      PERFORM await_receipts(learned, steady_ms);
    END IF;
  END IF;
  IF fan_outs IS NOT NULL THEN
    RETURN QUERY SELECT * FROM advance_fan_outs(fan_outs, node, wall_ms, steady_ms);
  END IF;
END $$;

-- Writes verdicts: counts of the event and the hour, deliveries, and attempts. Skips verdicts on deleted events.
-- Returns the events without pending pushes.
CREATE OR REPLACE FUNCTION record_verdicts(lines verdict_line[], node BIGINT, wall_ms BIGINT, steady_ms BIGINT) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  change RECORD;
  counters BIGINT;
BEGIN
  -- Most events change by the same counts, so they are updated together. Locked events cannot be deleted.
  PERFORM 1 FROM event WHERE id = ANY (ARRAY(SELECT DISTINCT event_id FROM unnest(lines))) ORDER BY id FOR NO KEY UPDATE;
  FOR change IN
    SELECT accepted, failed, unregistered, expired, withdrawn, fitted, array_agg(event_id) AS events FROM (
      SELECT event_id, sum(many) FILTER (WHERE state = 'accepted') AS accepted, sum(many) FILTER (WHERE state = 'failed') AS failed,
        sum(many) FILTER (WHERE state = 'unregistered') AS unregistered, sum(many) FILTER (WHERE state = 'expired') AS expired,
        sum(many) FILTER (WHERE state = 'withdrawn') AS withdrawn, sum(many) FILTER (WHERE state = 'accepted' AND fitted) AS fitted
      FROM unnest(lines) CROSS JOIN LATERAL cardinality(device_ids) AS many GROUP BY event_id
    ) AS sums
    GROUP BY accepted, failed, unregistered, expired, withdrawn, fitted
  LOOP
    RETURN QUERY
    WITH counted AS (
      UPDATE event SET
        accepted = accepted + coalesce(change.accepted, 0), failed = failed + coalesce(change.failed, 0),
        unregistered = unregistered + coalesce(change.unregistered, 0), expired = expired + coalesce(change.expired, 0),
        withdrawn = withdrawn + coalesce(change.withdrawn, 0), fitted = fitted + coalesce(change.fitted, 0),
        first_accepted_at = CASE WHEN change.accepted > 0 THEN coalesce(first_accepted_at, wall_ms) ELSE first_accepted_at END,
        last_accepted_at = CASE WHEN change.accepted > 0 THEN wall_ms ELSE last_accepted_at END
      WHERE id = ANY (change.events)
      RETURNING uuid, targeted - accepted - failed - unregistered - expired - withdrawn AS pending
    )
    SELECT uuid FROM counted WHERE pending <= 0;
  END LOOP;

  WITH line AS MATERIALIZED (
    SELECT verdict.*, retry_in_ms IS NOT NULL AS waits, cardinality(device_ids) AS many, event.received_at
    FROM unnest(lines) AS verdict CROSS JOIN LATERAL (SELECT received_at FROM event WHERE id = verdict.event_id OFFSET 0) AS event
  ), recorded AS (
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, home, state, attempts, reason, at, due_at, kept_s)
    SELECT event_id, device_id, workspace_id, route, lane, CASE WHEN waits THEN home ELSE 0 END,
      CASE WHEN waits THEN 'pending' ELSE state END, spent, reason, wall_ms, steady_ms + retry_in_ms, kept_s
    FROM line CROSS JOIN LATERAL unnest(device_ids) AS device_id ORDER BY event_id, device_id
    ON CONFLICT (event_id, device_id) DO UPDATE SET state = excluded.state, lane = excluded.lane, home = excluded.home,
      attempts = delivery.attempts + excluded.attempts, reason = excluded.reason, at = excluded.at, due_at = excluded.due_at,
      kept_s = excluded.kept_s, owner = NULL
  )
  SELECT count(count_tally(workspace_id, channel_id, route, measure, reason, node, many, wall_ms)) INTO counters FROM (
    SELECT workspace_id, channel_id, route, measure, reason, sum(count)::bigint AS many FROM (
      SELECT workspace_id, coalesce(channel_id, 0) AS channel_id, route, CASE WHEN waits THEN 'deferred' ELSE state END AS measure,
        coalesce(reason, '') AS reason, many AS count
      FROM line WHERE NOT waits OR spent = 1
      UNION ALL
      SELECT workspace_id, coalesce(channel_id, 0), route, 'fitted', '', many FROM line WHERE state = 'accepted' AND fitted
      UNION ALL
      SELECT workspace_id, coalesce(channel_id, 0), route, 'links_lost', '', many FROM line WHERE state = 'accepted' AND links_lost
      UNION ALL
      SELECT workspace_id, 0, route, 'latency', latency_bucket(wall_ms - received_at), many FROM line WHERE state = 'accepted'
    ) AS tallied
    GROUP BY workspace_id, channel_id, route, measure, reason
    ORDER BY workspace_id, channel_id, route, measure, reason
  ) AS summed;

  IF EXISTS (SELECT 1 FROM unnest(lines) WHERE retry_in_ms IS NOT NULL AND spent = 1) THEN
    INSERT INTO attempt (event_id, device_id, number, at, reason)
    SELECT line.event_id, of_device, tried.attempts, wall_ms, line.reason
    FROM unnest(lines) AS line CROSS JOIN LATERAL unnest(device_ids) AS of_device
    CROSS JOIN LATERAL (
      SELECT attempts FROM delivery WHERE event_id = line.event_id AND device_id = of_device OFFSET 0
    ) AS tried
    WHERE retry_in_ms IS NOT NULL AND spent = 1;
  END IF;
END $$;

-- Updates devices by their verdicts. A device must still have the addressed token, and must not have registered again
-- since.
CREATE OR REPLACE FUNCTION learn_of_devices(learned JSON, wall_ms BIGINT) RETURNS VOID
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  line RECORD;
BEGIN
  FOR line IN
    SELECT * FROM json_to_recordset(learned) AS learned_device(device_id BIGINT, state TEXT, reason TEXT, token TEXT, at_ms BIGINT)
    WHERE state <> 'awaited' ORDER BY device_id
  LOOP
    IF line.state = 'accepted' THEN
      UPDATE device SET accepted_at = coalesce(accepted_at, wall_ms), refused_at = NULL, refused_reason = NULL
      WHERE id = line.device_id AND token = line.token;
    ELSIF line.state = 'held' THEN
      UPDATE device SET refused_at = coalesce(refused_at, wall_ms), refused_reason = line.reason
      WHERE id = line.device_id AND token = line.token AND status = 'active';
    ELSE
      UPDATE device SET status = 'inactive', inactive_reason = line.reason, inactive_at = wall_ms, refused_at = NULL, refused_reason = NULL
      WHERE id = line.device_id AND token = line.token AND status = 'active' AND registered_at <= coalesce(line.at_ms, wall_ms);
    END IF;
  END LOOP;
END $$;

-- Awaits reports of devices that have reported before.
CREATE OR REPLACE FUNCTION await_receipts(learned JSON, steady_ms BIGINT) RETURNS VOID
LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
  INSERT INTO receipt (event_id, device_id, awaited_until)
  SELECT push.event_id, push.device_id, steady_ms + push.within_ms
  FROM json_to_recordset(learned) AS push(device_id BIGINT, state TEXT, event_id BIGINT, within_ms BIGINT)
  CROSS JOIN LATERAL (
    SELECT 1 FROM reporter WHERE reporter.device_id = push.device_id AND shown_at IS NOT NULL OFFSET 0
  ) AS reports
  CROSS JOIN LATERAL (SELECT 1 FROM event WHERE event.id = push.event_id OFFSET 0) AS known
  WHERE push.state = 'awaited'
  ORDER BY push.event_id, push.device_id
  ON CONFLICT DO NOTHING
$$;

-- Counts targets never reached as known, or else as expired, or withdrawn if they left meanwhile. Returns the event if none of its pushes
-- is pending.
CREATE OR REPLACE FUNCTION book_unreached(
  of_event BIGINT, of_route TEXT, of_workspace BIGINT, of_channel BIGINT, unreached BIGINT, known_state TEXT, known_reason TEXT, node BIGINT, wall_ms BIGINT, steady_ms BIGINT
) RETURNS BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  ending RECORD;
  ended RECORD;
BEGIN
  SELECT coalesce(known_state, CASE WHEN cancelled_at IS NULL AND expires_at <= steady_ms THEN 'expired' ELSE 'withdrawn' END) AS state,
    coalesce(known_reason, CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled' WHEN expires_at <= steady_ms THEN 'ttl' ELSE 'gone' END)
      AS reason
  INTO ending
  FROM event JOIN workspace ON workspace.id = event.workspace_id JOIN channel ON channel.id = event.channel_id
  WHERE event.id = of_event;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE event SET
    expired = expired + CASE ending.state WHEN 'expired' THEN unreached ELSE 0 END,
    withdrawn = withdrawn + CASE ending.state WHEN 'withdrawn' THEN unreached ELSE 0 END
  WHERE id = of_event
  RETURNING uuid, targeted - accepted - failed - unregistered - expired - withdrawn AS pending INTO ended;
  PERFORM count_tally(of_workspace, of_channel, of_route, ending.state, ending.reason, node, unreached, wall_ms);
  RETURN CASE WHEN ended.pending <= 0 THEN ended.uuid END;
END $$;

-- Moves recorded fan-outs on, and ends finished ones: targets that were never reached count as expired or withdrawn.
CREATE OR REPLACE FUNCTION advance_fan_outs(fan_outs fan_out_record[], node BIGINT, wall_ms BIGINT, steady_ms BIGINT) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  fan RECORD;
  ended BYTEA;
BEGIN
  FOR fan IN SELECT * FROM unnest(fan_outs) WHERE NOT is_ended LOOP
    UPDATE fan_out SET cursor = greatest(cursor, fan.settled_to), recorded = recorded + fan.targets, records = fan.number
    WHERE event_id = fan.event_id AND route = fan.route AND start = fan.start;
  END LOOP;
  FOR fan IN
    WITH over AS MATERIALIZED (
      SELECT own.*, own.count - asked.targets AS unreached, asked.state, asked.reason FROM unnest(fan_outs) AS asked CROSS JOIN LATERAL (
        SELECT ctid, event_id, route, workspace_id, channel_id, targeted - recorded AS count FROM fan_out
        WHERE event_id = asked.event_id AND route = asked.route AND start = asked.start OFFSET 0
      ) AS own
      WHERE asked.is_ended
    ), gone AS (
      DELETE FROM fan_out WHERE ctid = ANY (ARRAY(SELECT ctid FROM over))
    )
    SELECT * FROM over WHERE unreached > 0 ORDER BY event_id
  LOOP
    ended := book_unreached(fan.event_id, fan.route, fan.workspace_id, fan.channel_id, fan.unreached, fan.state, fan.reason, node, wall_ms, steady_ms);
    IF ended IS NOT NULL THEN RETURN NEXT ended; END IF;
  END LOOP;
END $$;

-- Returns the bucket of src/values/histogram.ts.
CREATE OR REPLACE FUNCTION latency_bucket(duration_ms BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN duration_ms < 1 THEN 0 ELSE floor(ln(duration_ms) / ln(2.0::float8) * 4 + 1e-9) + 1 END)::bigint::text
$$;

