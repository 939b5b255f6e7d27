-- Accepts a group of events, each for itself, or only judges some of them (`is_check`): what a group costs is one way to the
-- database and one commit. A row for each: `again` is to be asked once more, since another event was faster with its idempotency
-- key, which may yet turn out to be the first with it. The order of the checks is the contract's (sqlite/accept.ts).
--
-- `workspace_ids`: all that are in the group. `counted_keys`, in the order of their ids: the API keys whose requests are counted, how
-- many of each there are, and how many may be in any minute; `use` of an event is its key's place there, NULL: it is not counted.
--
-- A node that stops amid a group holds up the others of its workspaces for a bounded time.
--
-- Tables are empty when a plan is made for them, and the plan stays. So there is one way to the rows of each: its key, by which each
-- event looks for them alone (a LATERAL with OFFSET 0 is no join that a plan could turn round). What is known of an event moves on from step to step with it: joins
-- of steps would be loops within loops.
CREATE FUNCTION accept_events(
  posted JSON, node BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT, served_routes TEXT[], workspace_ids BIGINT[],
  counted_keys TEXT[], key_uses BIGINT[], key_limits BIGINT[]
)
RETURNS TABLE (
  place INTEGER, verdict TEXT, event_id BIGINT, targeted BIGINT, routes TEXT[], at BIGINT, remaining BIGINT, reset_ms BIGINT
)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET plan_cache_mode = force_generic_plan
SET lock_timeout = '15s'
AS $$
#variable_conflict use_column
DECLARE
  wall_ms BIGINT;
  steady_ms BIGINT;
  this_month TEXT := '';
  this_hour BIGINT;
  limited_ids BIGINT[];
  free_uses BIGINT[];
  resets_ms BIGINT[];
BEGIN
  -- Whoever changes a plan waits for all that was counted by the old one, and those who come then for the new one (locks.ts).
  PERFORM pg_advisory_xact_lock_shared(3, current_schema()::text::regnamespace::oid::int);

  IF counted_keys <> '{}' THEN
    SELECT array_agg(free ORDER BY name), array_agg(counted.reset_ms ORDER BY name) INTO free_uses, resets_ms
    FROM count_uses(
      counted_keys, key_uses, key_limits, array_fill(60000::bigint, ARRAY[cardinality(counted_keys)]), given_steady_ms
    ) AS counted;
  END IF;

  -- Workspaces with an allowance take turns, in the whole cluster: the next statement sees what was counted before it. The others never
  -- wait for each other.
  SELECT array_agg(workspace.id ORDER BY workspace.id) INTO limited_ids
  FROM unnest(workspace_ids) AS asked(id)
  JOIN workspace ON workspace.id = asked.id
  JOIN plan ON plan.name = workspace.plan
  WHERE plan.monthly_events IS NOT NULL;

  -- What has waited is received now, so that times grow as ids do; it may be another month by now.
  LOOP
    wall_ms := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    EXIT WHEN this_month = to_char(to_timestamp(wall_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM');
    this_month := to_char(to_timestamp(wall_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM');
    IF limited_ids IS NOT NULL THEN
      INSERT INTO usage_of_node (workspace_id, month, node_id, events)
      SELECT id, this_month, 0, 0 FROM unnest(limited_ids) AS id ORDER BY id
      ON CONFLICT DO NOTHING;
      PERFORM 1 FROM usage_of_node
      WHERE workspace_id = ANY (limited_ids) AND month = this_month AND node_id = 0
      ORDER BY workspace_id FOR UPDATE;
    END IF;
  END LOOP;
  steady_ms := coalesce(given_steady_ms, wall_ms);
  this_hour := wall_ms - wall_ms % 3600000;

  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset(posted) AS one(
      place INTEGER, is_check BOOLEAN, key_id TEXT, scope TEXT, use INTEGER, workspace_id BIGINT, bound_key_id TEXT, channel TEXT,
      idempotency_key TEXT, uuid TEXT, had_links SMALLINT, links_mark TEXT, home BIGINT, life_ms BIGINT, title TEXT, description TEXT,
      level TEXT, urgency TEXT, event_type TEXT, collapse_key TEXT, expires_in BIGINT, occurred_at BIGINT
    )
  ), judged AS MATERIALIZED (
    SELECT asked.*, channel.id AS channel_id, channel.last_number, first.id AS first_id,
      CASE
        WHEN asked.key_id IS NULL THEN NULL
        WHEN workspace.id IS NULL THEN 'unauthenticated'
        WHEN api_key.revoked_at IS NOT NULL THEN 'key_revoked'
        WHEN api_key.expires_at <= wall_ms THEN 'key_expired'
        WHEN NOT asked.scope = ANY (string_to_array(api_key.scopes, ' ')) THEN 'missing_scope'
        WHEN workspace.status <> 'active' THEN 'workspace_inactive'
      END AS lost,
      free_uses[asked.use] - row_number() OVER (PARTITION BY asked.use ORDER BY asked.place) AS remaining,
      asked.bound_key_id IS NULL OR EXISTS (
        SELECT 1 FROM key_channel WHERE key_id = asked.bound_key_id AND channel_id = channel.id
      ) AS names_channel,
      asked.bound_key_id IS NULL OR EXISTS (
        SELECT 1 FROM key_channel WHERE key_id = asked.bound_key_id AND channel_id = first.channel_id
      ) AS names_first
    FROM asked
    LEFT JOIN LATERAL (SELECT * FROM api_key WHERE id = asked.key_id OFFSET 0) AS api_key ON true
    LEFT JOIN LATERAL (SELECT * FROM workspace WHERE id = api_key.workspace_id OFFSET 0) AS workspace ON true
    LEFT JOIN LATERAL (
      SELECT * FROM channel WHERE workspace_id = asked.workspace_id AND slug = asked.channel AND status = 'active' OFFSET 0
    ) AS channel ON true
    LEFT JOIN LATERAL (
      SELECT * FROM idempotency_key WHERE workspace_id = asked.workspace_id AND key = asked.idempotency_key OFFSET 0
    ) AS taken ON true
    LEFT JOIN LATERAL (SELECT * FROM event WHERE id = taken.event_id OFFSET 0) AS first ON true
  ), known AS MATERIALIZED (
    SELECT *,
      CASE
        WHEN lost IS NOT NULL THEN lost
        WHEN remaining < 0 THEN 'rate_limited'
        WHEN first_id IS NOT NULL AND names_first THEN 'replayed'
        WHEN channel_id IS NULL OR NOT names_channel THEN 'unknown_channel'
        WHEN first_id IS NOT NULL THEN 'idempotency_key_taken'
      END AS refusal
    FROM judged
  ), turns AS MATERIALIZED (
    SELECT *,
      NOT is_check AND idempotency_key IS NOT NULL AND refusal IS NULL AND row_number() OVER (
        PARTITION BY workspace_id, idempotency_key, is_check, refusal IS NULL ORDER BY place
      ) > 1 AS is_second
    FROM known
  ), places AS MATERIALIZED (
    SELECT id, (SELECT monthly_events FROM plan WHERE name = workspace.plan) - coalesce(
      (SELECT sum(events) FROM usage_of_node WHERE workspace_id = workspace.id AND month = this_month), 0
    ) AS places
    FROM workspace WHERE id = ANY (limited_ids)
  ), ranked AS MATERIALIZED (
    SELECT turns.*, places.id IS NOT NULL AS is_limited,
      refusal IS NULL AND NOT is_second AND CASE WHEN is_check THEN 1 ELSE
        row_number() OVER (PARTITION BY workspace_id, is_check, refusal IS NULL, is_second ORDER BY place)
      END <= coalesce(places.places, 9223372036854775807) AS has_place
    FROM turns LEFT JOIN places ON places.id = turns.workspace_id
  ), candidates AS MATERIALIZED (
    SELECT in_order.*, CASE WHEN has_place AND NOT is_check THEN nextval(pg_get_serial_sequence('event', 'id')) END AS id
    FROM (SELECT * FROM ranked ORDER BY place) AS in_order
  ), keys AS (
    INSERT INTO idempotency_key (workspace_id, key, event_id)
    SELECT workspace_id, idempotency_key, id FROM candidates WHERE id IS NOT NULL AND idempotency_key IS NOT NULL
    ORDER BY workspace_id, idempotency_key
    ON CONFLICT DO NOTHING
    RETURNING event_id
  ), decided AS MATERIALIZED (
    SELECT candidates.*, audience.*,
      id IS NOT NULL AND (idempotency_key IS NULL OR id IN (SELECT event_id FROM keys)) AS is_accepted
    FROM candidates
    LEFT JOIN LATERAL (
      SELECT sum(devices)::bigint AS targeted, array_agg(route ORDER BY array_position(served_routes, route)) AS routes
      FROM audience WHERE channel_id = candidates.channel_id AND devices > 0 AND route = ANY (served_routes)
    ) AS audience ON has_place
  ), events AS (
    INSERT INTO event (id, uuid, workspace_id, channel_id, title, description, level, urgency, event_type, collapse_key,
      expires_in, occurred_at, idempotency_key, had_links, links_mark, targeted, last_subscription, received_at, expires_at)
    SELECT id, decode(replace(uuid, '-', ''), 'hex'), workspace_id, channel_id, title, description, level, urgency, event_type,
      collapse_key, expires_in, occurred_at, idempotency_key, had_links, links_mark, coalesce(targeted, 0), last_number, wall_ms,
      steady_ms + life_ms
    FROM decided WHERE is_accepted
  ), fan_outs AS (
    -- A node that is buried meanwhile has lost its links: what it just accepts is anybody's.
    INSERT INTO fan_out (route, lane, home, workspace_id, event_id, channel_id, last, targeted, expires_at)
    SELECT route, CASE urgency WHEN 'time_sensitive' THEN 'urgent' ELSE 'standard' END,
      CASE WHEN home IS NULL THEN 0 ELSE coalesce((SELECT n.id FROM node AS n WHERE n.id = home FOR KEY SHARE), 0) END,
      workspace_id, id, channel_id, last_number, devices, steady_ms + life_ms
    FROM decided CROSS JOIN LATERAL (
      SELECT route, devices FROM audience WHERE channel_id = decided.channel_id AND devices > 0 AND route = ANY (served_routes) OFFSET 0
    ) AS reached
    WHERE is_accepted
  ), used AS (
    INSERT INTO usage_of_node (workspace_id, month, node_id, events)
    SELECT workspace_id, this_month, CASE WHEN is_limited THEN 0 ELSE node END, count(*)
    FROM decided WHERE is_accepted GROUP BY workspace_id, is_limited ORDER BY workspace_id
    ON CONFLICT (workspace_id, month, node_id) DO UPDATE SET events = usage_of_node.events + excluded.events
  ), tallied AS (
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, node_id, count)
    SELECT this_hour, workspace_id, channel_id, '', 'events', '', node, count(*)
    FROM decided WHERE is_accepted GROUP BY workspace_id, channel_id ORDER BY workspace_id, channel_id
    ON CONFLICT (hour, workspace_id, channel_id, route, measure, reason, node_id)
    DO UPDATE SET count = tally.count + excluded.count
  )
  SELECT place,
    CASE
      WHEN refusal IS NOT NULL THEN refusal
      WHEN is_accepted THEN 'accepted'
      WHEN is_second THEN 'again'
      WHEN has_place THEN CASE WHEN is_check THEN 'valid' ELSE 'again' END
      -- One that turns out to be a replay takes no place.
      WHEN NOT is_check AND workspace_id IN (SELECT workspace_id FROM decided WHERE id IS NOT NULL AND NOT is_accepted) THEN 'again'
      ELSE 'allowance_exhausted'
    END,
    coalesce(id, first_id), coalesce(targeted, 0), coalesce(routes, '{}'), wall_ms,
    CASE WHEN remaining < 0 THEN 0 ELSE remaining END, resets_ms[use]
  FROM decided;
END $$;

CREATE FUNCTION wait_for_accepts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(3, current_schema()::text::regnamespace::oid::int);
  RETURN NULL;
END $$;
CREATE TRIGGER workspace_changes_plan BEFORE UPDATE OF plan ON workspace
  FOR EACH STATEMENT EXECUTE FUNCTION wait_for_accepts();
CREATE TRIGGER plan_changes_allowance BEFORE UPDATE OF monthly_events ON plan
  FOR EACH STATEMENT EXECUTE FUNCTION wait_for_accepts();
