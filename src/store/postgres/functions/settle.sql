-- Queue tables are empty most of the time, and a plan made then stays, such as one that scans a table for each row of
-- another. So queue functions do not join tables: they find rows by key and list, or one by one with LATERAL (OFFSET
-- 0).
--
-- All functions of the queue lock fan-outs before events, each in the order of ids, so that deadlocks are rare. After a
-- deadlock, the transaction is retried.

-- Settles lines of claims, and deletes `done` claims. Skips claims no longer this node's. `requests`: by claim id, the
-- request that claimed it. Neither claims nor their sequence wait for the disk: after a crash the database may reuse an
-- id. The node never reuses a request's number.
CREATE OR REPLACE FUNCTION settle_claims(
  posted JSON, learned JSON, done BIGINT[], node BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT, requests JSONB DEFAULT NULL
) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  steady_ms CONSTANT BIGINT := coalesce(given_steady_ms, wall_ms);
  lines verdict_line[];
  asked BIGINT[];
  ours BIGINT[];
  page RECORD;
BEGIN
  SELECT array_agg(line) INTO lines FROM json_populate_recordset(NULL::verdict_line, posted) AS line;
  SELECT array_agg(id) INTO asked FROM (SELECT claim_id AS id FROM unnest(lines) UNION SELECT unnest(done)) AS named;
  SELECT array_agg(id) INTO ours FROM (
    SELECT id FROM claim
    WHERE id = ANY (asked) AND node_id = node AND (requests IS NULL OR request = (requests ->> id::text)::bigint)
    ORDER BY id FOR UPDATE
  ) AS held;
  IF ours IS NULL THEN RETURN; END IF;
  IF cardinality(ours) < cardinality(asked) THEN
    SELECT array_agg(line) INTO lines FROM unnest(lines) AS line WHERE claim_id = ANY (ours);
    SELECT array_agg(id) INTO done FROM unnest(done) AS id WHERE id = ANY (ours);
  END IF;
  IF lines IS NOT NULL THEN
    RETURN QUERY SELECT * FROM record_verdicts(lines, node, wall_ms, steady_ms);
    IF learned IS NOT NULL THEN
      PERFORM learn_of_devices(learned, wall_ms);
      PERFORM await_receipts(learned, steady_ms);
    END IF;
  END IF;
  FOR page IN
    WITH gone AS (
      DELETE FROM claim WHERE id = ANY (done) RETURNING event_id, route, from_number < to_number AS is_page
    )
    SELECT route, array_agg(event_id) AS events FROM (
      SELECT route, event_id FROM gone WHERE is_page
      UNION ALL
      SELECT DISTINCT route, NULL::bigint FROM unnest(lines) WHERE is_page
    ) AS finished_page
    GROUP BY route ORDER BY route
  LOOP
    RETURN QUERY SELECT * FROM advance_fan_outs(lines, page.route, array_remove(page.events, NULL), node, wall_ms, steady_ms);
  END LOOP;
END $$;

-- Does the same as `settle_claims` for lines that an unanswered request may have settled. Settled lines are skipped, so
-- that each counts once. Until it is settled, a target of a page has no delivery, and a retry belongs to its claim.
CREATE OR REPLACE FUNCTION settle_again(
  posted JSON, learned JSON, done BIGINT[], node BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT, requests JSONB DEFAULT NULL
) RETURNS SETOF BYTEA
LANGUAGE plpgsql
AS $$
DECLARE
  unsettled JSON;
BEGIN
  -- Waits for the earlier request, which may still be running.
  PERFORM 1 FROM claim WHERE id IN (SELECT (line ->> 'claim_id')::bigint FROM json_array_elements(posted) AS line) ORDER BY id FOR UPDATE;
  SELECT coalesce(json_agg(to_jsonb(line) || jsonb_build_object('device_ids', open.ids)), '[]') INTO unsettled
  FROM json_populate_recordset(NULL::verdict_line, posted) AS line CROSS JOIN LATERAL (
    SELECT array_agg(target) AS ids FROM unnest(line.device_ids) AS target
    LEFT JOIN delivery AS d ON d.event_id = line.event_id AND d.device_id = target
    WHERE CASE WHEN line.is_page THEN d.event_id IS NULL ELSE d.claim_id = line.claim_id END
  ) AS open
  WHERE open.ids IS NOT NULL;
  RETURN QUERY SELECT * FROM settle_claims(unsettled, learned, done, node, given_wall_ms, given_steady_ms, requests);
END $$;

-- Writes verdicts: counts of the event and the hour, deliveries, and attempts. Skips verdicts on deleted events.
-- Returns the events without pending pushes.
CREATE OR REPLACE FUNCTION record_verdicts(lines verdict_line[], node BIGINT, wall_ms BIGINT, steady_ms BIGINT) RETURNS SETOF BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  this_hour CONSTANT BIGINT := wall_ms - wall_ms % 3600000;
  change RECORD;
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
      kept_s = excluded.kept_s, claim_id = NULL
  )
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, node_id, count)
  SELECT this_hour, workspace_id, channel_id, route, measure, reason, node, sum(count) FROM (
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
  ON CONFLICT (hour, workspace_id, channel_id, route, measure, reason, node_id)
  DO UPDATE SET count = tally.count + excluded.count;

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

-- Counts targets never reached as expired, or withdrawn if they left meanwhile. Returns the event if none of its pushes
-- is pending.
CREATE OR REPLACE FUNCTION book_unreached(
  of_event BIGINT, of_route TEXT, of_workspace BIGINT, of_channel BIGINT, unreached BIGINT, node BIGINT, wall_ms BIGINT, steady_ms BIGINT
) RETURNS BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  ending RECORD;
  ended RECORD;
BEGIN
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

-- Ends a fan-out that has nothing left to claim, or whose event is not sent any more. A fan-out with a claimed page
-- ends with that page. Returns the event if none of its pushes is pending.
CREATE OR REPLACE FUNCTION end_fan_out(of_event BIGINT, of_route TEXT, node BIGINT, wall_ms BIGINT, steady_ms BIGINT) RETURNS BYTEA
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  fan RECORD;
BEGIN
  -- Once this lock is taken, every transaction that settled a page of the fan-out has committed.
  SELECT workspace_id, channel_id, targeted INTO fan FROM fan_out WHERE event_id = of_event AND route = of_route FOR UPDATE;
  IF NOT FOUND OR EXISTS (
    SELECT 1 FROM claim
    WHERE event_id = of_event AND route = of_route AND from_number < to_number AND (node_id IS NOT NULL OR EXISTS (
      SELECT 1 FROM event JOIN channel ON channel.id = event.channel_id WHERE event.id = of_event AND event.expires_at > steady_ms
    ))
  ) THEN
    RETURN NULL;
  END IF;
  DELETE FROM claim WHERE event_id = of_event AND route = of_route AND node_id IS NULL AND from_number < to_number;
  fan.targeted := fan.targeted - coalesce(
    (SELECT recorded FROM fan_out_progress WHERE event_id = of_event AND route = of_route), 0
  );
  DELETE FROM fan_out_progress WHERE event_id = of_event AND route = of_route;
  DELETE FROM fan_out WHERE event_id = of_event AND route = of_route;
  IF fan.targeted <= 0 THEN RETURN NULL; END IF;
  RETURN book_unreached(of_event, of_route, fan.workspace_id, fan.channel_id, fan.targeted, node, wall_ms, steady_ms);
END $$;

-- Counts settled targets of a route's fan-outs, and ends finished ones. `closed`: events with a settled page.
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
  -- The transaction that settles the last page must see the others gone: it awaits them here, while claims go on. Open
  -- fan-outs are locked first: they cannot end before this commits. The second statement locks those fully claimed by
  -- then.
  PERFORM 1 FROM fan_out WHERE event_id = ANY (closed) AND route = of_route AND last - claimed_to > 0 ORDER BY event_id FOR KEY SHARE;
  PERFORM 1 FROM fan_out WHERE event_id = ANY (closed) AND route = of_route AND claimed_to >= last ORDER BY event_id FOR UPDATE;

  SELECT array_agg(f.event_id) INTO over FROM (SELECT DISTINCT id FROM unnest(closed) AS id) AS closed_event CROSS JOIN LATERAL (
    SELECT event_id FROM fan_out WHERE event_id = closed_event.id AND route = of_route AND claimed_to >= last AND (
      SELECT true FROM claim AS c WHERE c.event_id = closed_event.id AND c.route = of_route AND c.from_number < c.to_number LIMIT 1
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
    ) AS share
    GROUP BY event_id HAVING sum(count) > 0 ORDER BY event_id
  LOOP
    ended := book_unreached(fan.event_id, of_route, fan.workspace_id, fan.channel_id, fan.unreached, node, wall_ms, steady_ms);
    IF ended IS NOT NULL THEN RETURN NEXT ended; END IF;
  END LOOP;
  DELETE FROM fan_out_progress WHERE event_id = ANY (over) AND route = of_route;
  -- Only fan-outs that go on keep their progress.
  INSERT INTO fan_out_progress (event_id, route, recorded)
  SELECT event_id, of_route, sum(cardinality(device_ids)) FROM unnest(lines) AS line
  WHERE is_page AND route = of_route AND (SELECT true FROM fan_out AS f WHERE f.event_id = line.event_id AND f.route = of_route)
  GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id, route) DO UPDATE SET recorded = fan_out_progress.recorded + excluded.recorded;
END $$;

-- Returns the bucket of src/values/histogram.ts.
CREATE OR REPLACE FUNCTION latency_bucket(duration_ms BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN duration_ms < 1 THEN 0 ELSE floor(ln(duration_ms) / ln(2.0::float8) * 4 + 1e-9) + 1 END)::bigint::text
$$;

-- Returns `fan_out.recorded`, as if it were a column.
CREATE OR REPLACE FUNCTION recorded(of_fan_out fan_out) RETURNS BIGINT LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT p.recorded FROM fan_out_progress AS p WHERE p.event_id = of_fan_out.event_id AND p.route = of_fan_out.route), 0)
$$;
