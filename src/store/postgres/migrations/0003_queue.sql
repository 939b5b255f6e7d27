-- The queue's own ways. In all of them: fan-outs are locked before events, each in the order of ids, so that two nodes seldom meet
-- the other way round; where they do, one is begun again.

-- Pages that nobody has out: given back, or of a node that is dead. `from_number` = `to_number`: no page, but retries.
ALTER TABLE claim ALTER COLUMN node_id DROP NOT NULL;
CREATE INDEX claim_free ON claim (route, lane, workspace_id, event_id) WHERE node_id IS NULL;
CREATE INDEX fan_out_open ON fan_out (route, lane, workspace_id, event_id) WHERE claimed_to < last;
DROP INDEX delivery_due;
CREATE INDEX delivery_due ON delivery (route, lane, workspace_id, due_at) WHERE state = 'pending' AND claim_id IS NULL;
CREATE INDEX delivery_next ON delivery (route, lane, due_at) WHERE state = 'pending' AND claim_id IS NULL;

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

-- Nothing of these claims was sent: pages are free for whoever comes first, and retries are due as before.
CREATE FUNCTION release_claims(ids BIGINT[]) RETURNS VOID LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE delivery SET claim_id = NULL FROM claim
  WHERE claim.id = ANY (ids) AND claim.from_number = claim.to_number
    AND delivery.event_id = claim.event_id AND delivery.claim_id = claim.id AND delivery.state = 'pending';
  DELETE FROM claim WHERE id = ANY (ids) AND from_number = to_number;
  UPDATE claim SET node_id = NULL WHERE id = ANY (ids);
END $$;

-- What it had out is free for the others. A claim that it is just making is waited for, and then freed as well.
CREATE FUNCTION bury_node(dead BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  had_out BIGINT[];
BEGIN
  DELETE FROM node WHERE id = dead;
  SELECT array_agg(id) INTO had_out FROM claim WHERE node_id = dead;
  IF had_out IS NOT NULL THEN PERFORM release_claims(had_out); END IF;
END $$;

-- Renews a lease that is not over yet, and buries the nodes whose lease is.
CREATE FUNCTION beat_node(living BIGINT, lease_ms BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  dead BIGINT;
BEGIN
  UPDATE node SET lease_end = now_ms + lease_ms WHERE id = living AND lease_end > now_ms;
  FOR dead IN SELECT id FROM node WHERE lease_end <= now_ms FOR UPDATE SKIP LOCKED LOOP
    PERFORM bury_node(dead);
  END LOOP;
END $$;

-- Claims what goes out next, a row for each part: a page of a fan-out, or the due retries of an event. Workspaces take turns of up to a
-- batch, behind `last_workspace`; inside one its events do, behind the one in `last_events` (by workspace). No part lies in two batches.
-- What is over ends here, its event is `finished`. Lost, a claim is made again: so nobody waits for the disk.
CREATE FUNCTION claim_parts(
  node BIGINT, of_route TEXT, of_lane TEXT, most BIGINT, batch_size BIGINT, last_workspace BIGINT, last_events JSONB,
  retries_first BOOLEAN, given_wall_ms BIGINT, given_steady_ms BIGINT
) RETURNS TABLE (claim_id BIGINT, workspace_id BIGINT, event_id BIGINT, channel_id BIGINT, from_number BIGINT, to_number BIGINT, finished BYTEA)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  wall_ms CONSTANT BIGINT := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  steady_ms CONSTANT BIGINT := coalesce(given_steady_ms, wall_ms);
  most_endings CONSTANT BIGINT := 200;
  taken BIGINT := 0;
  endings BIGINT := 0;
  goal BIGINT;
  before BIGINT;
  source TEXT;
  looked BIGINT;
  endings_before BIGINT;
  sources TEXT[] := CASE WHEN retries_first THEN '{retries,events}' ELSE '{events,retries}' END::text[];
  waiting BIGINT[] := '{}';
  next_waiting BIGINT[];
  turn BIGINT;
  fan RECORD;
  page RECORD;
  due RECORD;
  room BIGINT;
  many BIGINT;
  high BIGINT;
  new_id BIGINT;
  behind BIGINT;
  is_alive BOOLEAN;
BEGIN
  PERFORM 1 FROM node AS self
  WHERE self.id = claim_parts.node AND self.lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'PU001', MESSAGE = 'the lease of this node is over';
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH RECURSIVE with_something AS (
    SELECT (SELECT min(id) FROM (
      SELECT min(workspace_id) AS id FROM fan_out WHERE route = of_route AND lane = of_lane AND claimed_to < last
      UNION ALL SELECT min(workspace_id) FROM claim WHERE node_id IS NULL AND route = of_route AND lane = of_lane
      UNION ALL SELECT min(workspace_id) FROM delivery
        WHERE state = 'pending' AND claim_id IS NULL AND route = of_route AND lane = of_lane
    ) AS first) AS id
    UNION ALL
    SELECT (SELECT min(id) FROM (
      SELECT min(workspace_id) AS id FROM fan_out
        WHERE route = of_route AND lane = of_lane AND claimed_to < last AND workspace_id > with_something.id
      UNION ALL SELECT min(workspace_id) FROM claim
        WHERE node_id IS NULL AND route = of_route AND lane = of_lane AND workspace_id > with_something.id
      UNION ALL SELECT min(workspace_id) FROM delivery
        WHERE state = 'pending' AND claim_id IS NULL AND route = of_route AND lane = of_lane
          AND workspace_id > with_something.id
    ) AS next)
    FROM with_something WHERE id IS NOT NULL
  )
  SELECT coalesce(array_agg(workspace.id ORDER BY workspace.id <= last_workspace, workspace.id), '{}') INTO waiting
  FROM with_something JOIN workspace ON workspace.id = with_something.id
  WHERE workspace.status = 'active' AND NOT EXISTS (SELECT 1 FROM remains WHERE holds = 1 AND workspace_id = workspace.id);

  WHILE cardinality(waiting) > 0 AND taken < most AND endings < most_endings LOOP
    next_waiting := '{}';
    FOREACH turn IN ARRAY waiting LOOP
      EXIT WHEN taken >= most OR endings >= most_endings;
      goal := least(taken + batch_size, most);
      looked := 0;
      endings_before := endings;
      FOREACH source IN ARRAY sources LOOP
        IF source = 'events' THEN
          behind := coalesce((last_events ->> turn::text)::bigint, 0);
          -- Behind the last one, and then from the beginning.
          FOR fan IN
            SELECT event_id FROM (
              (SELECT event_id, 1 AS round FROM fan_out
                WHERE route = of_route AND lane = of_lane AND workspace_id = turn AND claimed_to < last
                  AND event_id > behind
                ORDER BY event_id LIMIT batch_size)
              UNION
              (SELECT event_id, 1 FROM claim
                WHERE node_id IS NULL AND route = of_route AND lane = of_lane AND workspace_id = turn
                  AND from_number < to_number AND event_id > behind
                ORDER BY event_id LIMIT batch_size)
              UNION
              (SELECT event_id, 2 FROM fan_out
                WHERE route = of_route AND lane = of_lane AND workspace_id = turn AND claimed_to < last
                  AND event_id <= behind
                ORDER BY event_id LIMIT batch_size)
              UNION
              (SELECT event_id, 2 FROM claim
                WHERE node_id IS NULL AND route = of_route AND lane = of_lane AND workspace_id = turn
                  AND from_number < to_number AND event_id <= behind
                ORDER BY event_id LIMIT batch_size)
            ) AS open ORDER BY round, event_id LIMIT batch_size
          LOOP
            EXIT WHEN taken >= goal OR endings >= most_endings;
            looked := looked + 1;
            last_events := last_events || jsonb_build_object(turn::text, fan.event_id);
            SELECT f.claimed_to, f.last, f.channel_id INTO page FROM fan_out AS f
            WHERE f.route = of_route AND f.lane = of_lane AND f.workspace_id = turn AND f.event_id = fan.event_id
            FOR UPDATE SKIP LOCKED;
            CONTINUE WHEN NOT FOUND;
            SELECT expires_at > steady_ms INTO is_alive
            FROM event JOIN channel ON channel.id = event.channel_id WHERE event.id = fan.event_id;
            WHILE is_alive AND taken < goal LOOP
              room := least(batch_size - taken % batch_size, goal - taken);
              SELECT c.id, c.from_number, c.to_number INTO due FROM claim AS c
              WHERE c.node_id IS NULL AND c.route = of_route AND c.lane = of_lane AND c.workspace_id = turn
                AND c.event_id = fan.event_id AND c.from_number < c.to_number
              ORDER BY c.from_number LIMIT 1 FOR UPDATE SKIP LOCKED;
              IF NOT FOUND THEN
                EXIT WHEN page.claimed_to >= page.last;
                SELECT NULL::bigint AS id, page.claimed_to AS from_number, page.last AS to_number INTO due;
              END IF;
              SELECT count(*), max(number) INTO many, high FROM (
                SELECT s.number FROM subscription AS s
                WHERE s.channel_id = page.channel_id AND s.route = of_route AND s.active = 1
                  AND s.number > due.from_number AND s.number <= due.to_number
                  AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.event_id = fan.event_id AND d.device_id = s.device_id)
                ORDER BY s.number LIMIT room
              ) AS stretch;
              IF many < room THEN high := due.to_number; END IF;
              IF due.id IS NULL THEN
                page.claimed_to := high;
                UPDATE fan_out SET claimed_to = high
                WHERE route = of_route AND lane = of_lane AND workspace_id = turn AND event_id = fan.event_id;
              ELSIF high < due.to_number THEN
                UPDATE claim SET from_number = high WHERE id = due.id;
              ELSE
                DELETE FROM claim WHERE id = due.id;
              END IF;
              CONTINUE WHEN many = 0;
              INSERT INTO claim (node_id, route, lane, workspace_id, event_id, from_number, to_number)
              VALUES (node, of_route, of_lane, turn, fan.event_id, due.from_number, high) RETURNING id INTO new_id;
              taken := taken + many;
              RETURN QUERY SELECT new_id, turn, fan.event_id, page.channel_id, due.from_number, high, NULL::bytea;
            END LOOP;
            -- Nobody is left of it, or it is not sent any more.
            IF (is_alive IS NOT TRUE OR page.claimed_to >= page.last) AND NOT EXISTS (
              SELECT 1 FROM claim
              WHERE event_id = fan.event_id AND route = of_route AND from_number < to_number
                AND (node_id IS NOT NULL OR is_alive)
            ) THEN
              endings := endings + 1;
              RETURN QUERY SELECT NULL::bigint, turn, fan.event_id, page.channel_id, NULL::bigint, NULL::bigint,
                end_fan_out(of_route, of_lane, turn, fan.event_id, node, wall_ms, steady_ms);
            END IF;
          END LOOP;
        ELSE
          WHILE taken < goal LOOP
            room := least(batch_size - taken % batch_size, goal - taken);
            before := taken;
            FOR due IN
              SELECT locked.event_id, array_agg(locked.device_id) AS devices FROM (
                SELECT d.event_id, d.device_id FROM delivery AS d
                WHERE d.state = 'pending' AND d.claim_id IS NULL AND d.route = of_route AND d.lane = of_lane
                  AND d.workspace_id = turn AND d.due_at <= steady_ms
                ORDER BY d.due_at LIMIT room FOR UPDATE SKIP LOCKED
              ) AS locked GROUP BY locked.event_id
            LOOP
              INSERT INTO claim (node_id, route, lane, workspace_id, event_id, from_number, to_number)
              VALUES (node, of_route, of_lane, turn, due.event_id, 0, 0) RETURNING id INTO new_id;
              UPDATE delivery SET claim_id = new_id WHERE event_id = due.event_id AND device_id = ANY (due.devices);
              taken := taken + cardinality(due.devices);
              RETURN QUERY SELECT new_id, turn, due.event_id, NULL::bigint, 0::bigint, 0::bigint, NULL::bytea;
            END LOOP;
            EXIT WHEN taken = before;
          END LOOP;
        END IF;
      END LOOP;
      -- Some that were looked at may be over; what another node has locked is its own to claim.
      IF taken >= goal OR (looked = batch_size AND endings > endings_before) THEN
        next_waiting := next_waiting || turn;
      END IF;
    END LOOP;
    waiting := next_waiting;
    sources := ARRAY[sources[2], sources[1]];
  END LOOP;
END $$;

-- Whom the parts of a claim are for, by what is known once it is committed: what has ended before is left out, and what ends later finds
-- the claim. `entitled` NULL: the device is gone.
CREATE FUNCTION read_parts(parts JSON) RETURNS TABLE (
  claim_id BIGINT, device_id BIGINT, token TEXT, token_kind TEXT, keys TEXT, attempts BIGINT, was_accepted BOOLEAN, is_suspect BOOLEAN,
  status TEXT, inactive_reason TEXT, entitled BOOLEAN
)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH part AS MATERIALIZED (
    SELECT * FROM json_to_recordset(parts) AS one(
      place BIGINT, claim_id BIGINT, event_id BIGINT, channel_id BIGINT, route TEXT, from_number BIGINT, to_number BIGINT
    )
  )
  SELECT target.claim_id, target.device_id, target.token, target.token_kind, target.keys, target.attempts, target.was_accepted,
    target.is_suspect, target.status, target.inactive_reason, target.entitled
  FROM (
    SELECT part.place, s.number AS nth, part.claim_id, v.id AS device_id, v.token, v.token_kind, v.keys, 0::bigint AS attempts,
      v.accepted_at IS NOT NULL AS was_accepted, v.refused_at IS NOT NULL AS is_suspect, 'active' AS status,
      NULL AS inactive_reason, true AS entitled
    FROM part
    JOIN subscription AS s ON s.channel_id = part.channel_id AND s.route = part.route AND s.active = 1
      AND s.number > part.from_number AND s.number <= part.to_number
    JOIN device AS v ON v.id = s.device_id
    WHERE part.from_number < part.to_number
      AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.event_id = part.event_id AND d.device_id = s.device_id)
    UNION ALL
    SELECT part.place, d.due_at, part.claim_id, d.device_id, v.token, v.token_kind, v.keys, d.attempts, v.accepted_at IS NOT NULL,
      v.refused_at IS NOT NULL, v.status, v.inactive_reason,
      v.route = d.route AND (event.channel_id IS NULL OR EXISTS (
        SELECT 1 FROM subscription AS s
        WHERE s.device_id = d.device_id AND s.channel_id = event.channel_id
          AND s.number <= coalesce(event.last_subscription, s.number)
      ))
    FROM part
    JOIN delivery AS d ON d.event_id = part.event_id AND d.state = 'pending' AND d.claim_id = part.claim_id
    LEFT JOIN event ON event.id = part.event_id
    LEFT JOIN device AS v ON v.id = d.device_id
    WHERE part.from_number = part.to_number
  ) AS target
  ORDER BY target.place, target.nth, target.device_id;
END $$;

-- Ends what waits of an event that is not sent any more: its fan-outs that nobody has out, and up to `most` of its retries. Answers the
-- event, once, if nothing of it is pending any more; `left_over`: whether some retries wait still that nobody has out.
CREATE FUNCTION end_event(
  of_event BIGINT, most BIGINT, node BIGINT, wall_ms BIGINT, steady_ms BIGINT, OUT finished BYTEA, OUT left_over BOOLEAN
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  fan RECORD;
  lines JSON;
BEGIN
  FOR fan IN
    SELECT route, lane, workspace_id FROM fan_out WHERE event_id = of_event ORDER BY route FOR UPDATE
  LOOP
    CONTINUE WHEN EXISTS (
      SELECT 1 FROM claim
      WHERE event_id = of_event AND route = fan.route AND node_id IS NOT NULL AND from_number < to_number
    );
    finished := coalesce(end_fan_out(fan.route, fan.lane, fan.workspace_id, of_event, node, wall_ms, steady_ms), finished);
  END LOOP;
  SELECT json_agg(json_build_object(
    'event_id', of_event, 'device_id', d.device_id, 'workspace_id', d.workspace_id, 'channel_id', event.channel_id,
    'route', d.route, 'lane', d.lane, 'state', CASE WHEN event.cancelled_at IS NULL THEN 'expired' ELSE 'withdrawn' END,
    'reason', CASE WHEN event.cancelled_at IS NULL THEN 'ttl' ELSE 'cancelled' END, 'spent', 0
  )) INTO lines
  FROM (
    SELECT * FROM delivery WHERE event_id = of_event AND state = 'pending' AND claim_id IS NULL
    ORDER BY device_id LIMIT most FOR UPDATE
  ) AS d JOIN event ON event.id = of_event;
  IF lines IS NOT NULL THEN
    finished := coalesce((SELECT * FROM record_verdicts(lines, node, wall_ms, steady_ms)), finished);
  END IF;
  left_over := EXISTS (SELECT 1 FROM delivery WHERE event_id = of_event AND state = 'pending' AND claim_id IS NULL);
END $$;

-- The next events behind `after` that something waits of and that are not sent any more.
CREATE FUNCTION overdue_events(after BIGINT, most BIGINT, steady_ms BIGINT) RETURNS SETOF BIGINT
LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
  WITH RECURSIVE waiting AS (
    SELECT least(
      (SELECT min(event_id) FROM fan_out WHERE event_id > after),
      (SELECT min(event_id) FROM delivery WHERE state = 'pending' AND event_id > after)
    ) AS id
    UNION ALL
    SELECT least(
      (SELECT min(event_id) FROM fan_out WHERE event_id > waiting.id),
      (SELECT min(event_id) FROM delivery WHERE state = 'pending' AND event_id > waiting.id)
    )
    FROM waiting WHERE waiting.id IS NOT NULL
  )
  SELECT event.id FROM waiting JOIN event ON event.id = waiting.id
  WHERE event.expires_at <= steady_ms AND NOT EXISTS (SELECT 1 FROM set_aside WHERE event_id = event.id)
  LIMIT most
$$;

-- What may no longer be sent of what is handed out (`End` in the store's contract), as the transaction that ends it tells. A workspace
-- that is deleted ends as a whole, so its channels need not.
CREATE TABLE told_end (
  id           BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  by           XID8 NOT NULL DEFAULT pg_current_xact_id(),
  workspace_id BIGINT,
  device_id    BIGINT,
  channel_id   BIGINT,
  event_id     BIGINT
);
CREATE INDEX told_end_by ON told_end (by);

CREATE FUNCTION tell_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'subscription' THEN INSERT INTO told_end (device_id, channel_id) VALUES (old.device_id, old.channel_id);
    WHEN 'device' THEN INSERT INTO told_end (device_id) VALUES (old.id);
    WHEN 'channel' THEN INSERT INTO told_end (channel_id) SELECT old.id FROM workspace WHERE id = old.workspace_id;
    WHEN 'remains' THEN INSERT INTO told_end (workspace_id) VALUES (new.workspace_id);
    WHEN 'workspace' THEN INSERT INTO told_end (workspace_id) VALUES (old.id);
    WHEN 'event' THEN INSERT INTO told_end (event_id) VALUES (new.id);
  END CASE;
  RETURN NULL;
END $$;
CREATE TRIGGER subscription_ends AFTER DELETE ON subscription FOR EACH ROW EXECUTE FUNCTION tell_end();
CREATE TRIGGER device_ends AFTER DELETE ON device FOR EACH ROW EXECUTE FUNCTION tell_end();
CREATE TRIGGER device_moves AFTER UPDATE OF token, keys, route ON device FOR EACH ROW
  WHEN (old.token <> new.token OR old.keys IS DISTINCT FROM new.keys OR old.route <> new.route)
  EXECUTE FUNCTION tell_end();
CREATE TRIGGER channel_ends AFTER DELETE ON channel FOR EACH ROW EXECUTE FUNCTION tell_end();
CREATE TRIGGER remains_hold AFTER UPDATE OF holds ON remains FOR EACH ROW
  WHEN (new.holds = 1) EXECUTE FUNCTION tell_end();
CREATE TRIGGER workspace_ends AFTER DELETE ON workspace FOR EACH ROW EXECUTE FUNCTION tell_end();
CREATE TRIGGER workspace_pauses AFTER UPDATE OF status ON workspace FOR EACH ROW
  WHEN (old.status = 'active' AND new.status = 'suspended') EXECUTE FUNCTION tell_end();
CREATE TRIGGER event_is_cancelled AFTER UPDATE OF cancelled_at ON event FOR EACH ROW
  WHEN (new.cancelled_at IS NOT NULL) EXECUTE FUNCTION tell_end();
