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
