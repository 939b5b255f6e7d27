-- Checks of a group for accept.sql: replays, turns, allowances, sounds of channels, waiting events.

-- Returns each event's first event with its idempotency key. A key is deleted with that event's channel.
CREATE OR REPLACE FUNCTION first_events(workspace_ids BIGINT[], senders INTEGER[], idempotency_keys TEXT[], checks BOOLEAN[]) RETURNS BIGINT[]
LANGUAGE plpgsql AS $$
DECLARE
  found RECORD;
  gone BOOLEAN := false;
BEGIN
  SELECT array_agg(CASE WHEN is_there THEN first_id END ORDER BY nth) AS firsts, bool_or(NOT is_there) AS has_gone INTO found FROM (
    SELECT posted.nth, first.id AS first_id, first.id IS NULL OR first.channel_id IS NULL OR EXISTS (
      SELECT 1 FROM channel WHERE channel.id = first.channel_id
    ) AS is_there
    FROM unnest(senders, idempotency_keys) WITH ORDINALITY AS posted(sender, key, nth)
    LEFT JOIN LATERAL (
      SELECT event_id FROM idempotency_key AS known WHERE known.workspace_id = workspace_ids[posted.sender] AND known.key = posted.key OFFSET 0
    ) AS taken ON true
    LEFT JOIN LATERAL (SELECT id, channel_id FROM event WHERE id = taken.event_id OFFSET 0) AS first ON true
  ) AS earlier;
  IF found.has_gone THEN
    DELETE FROM idempotency_key AS known USING unnest(senders, idempotency_keys, checks) AS posted(sender, key, is_check)
    WHERE NOT posted.is_check AND known.workspace_id = workspace_ids[posted.sender] AND known.key = posted.key AND NOT EXISTS (
      SELECT 1 FROM event JOIN channel ON channel.id = event.channel_id WHERE event.id = known.event_id
    );
  END IF;
  RETURN found.firsts;
END $$;

-- Judges the acceptable events: one per idempotency key (others get `again`), and as many as the workspace's allowance
-- has left. Checks do not use the allowance.
CREATE OR REPLACE FUNCTION in_their_turns(
  verdicts TEXT[], workspace_ids BIGINT[], senders INTEGER[], checks BOOLEAN[], idempotency_keys TEXT[], limited BIGINT[], this_month TEXT
) RETURNS TEXT[] LANGUAGE sql AS $$
  WITH posted AS MATERIALIZED (
    SELECT nth, verdict, is_check, key, workspace_ids[sender] AS workspace_id
    FROM unnest(verdicts, senders, checks, idempotency_keys) WITH ORDINALITY AS listed(verdict, sender, is_check, key, nth)
  ), turn AS MATERIALIZED (
    SELECT *, verdict IS NULL AND NOT is_check AND key IS NOT NULL AND row_number() OVER (
      PARTITION BY workspace_id, key, is_check, verdict IS NULL ORDER BY nth
    ) > 1 AS is_second
    FROM posted
  ), free AS MATERIALIZED (
    SELECT workspace.id AS workspace_id, plan.monthly_events - usage_in(workspace.id, this_month) AS places
    FROM unnest(limited) AS asked
    CROSS JOIN LATERAL (SELECT * FROM workspace WHERE id = asked OFFSET 0) AS workspace
    CROSS JOIN LATERAL (SELECT * FROM plan WHERE name = workspace.plan OFFSET 0) AS plan
  ), ranked AS (
    SELECT turn.*, places, CASE WHEN is_check THEN 1 ELSE
      row_number() OVER (PARTITION BY turn.workspace_id, is_check, verdict IS NULL, is_second ORDER BY nth)
    END AS rank
    FROM turn LEFT JOIN free ON free.workspace_id = turn.workspace_id
  )
  SELECT array_agg(
    CASE WHEN verdict IS NOT NULL THEN verdict WHEN is_second THEN 'again' WHEN rank > places THEN 'allowance_exhausted' END ORDER BY nth
  ) FROM ranked
$$;

-- Locks workspaces' allowances for a month, and returns the locked ones: all with `can_wait`, otherwise the free ones. A
-- lock that was waited for follows its row to a newer slot.
CREATE OR REPLACE FUNCTION lock_allowances(asked BIGINT[], of_month TEXT, can_wait BOOLEAN) RETURNS BIGINT[] LANGUAGE plpgsql AS $$
DECLARE
  locked BIGINT[];
BEGIN
  PERFORM begin_usage(id, of_month, 0) FROM (SELECT id FROM unnest(asked) AS id ORDER BY id) AS ordered;
  IF can_wait THEN
    PERFORM 1 FROM (SELECT id FROM unnest(asked) AS id ORDER BY id) AS ordered CROSS JOIN LATERAL (
      SELECT 1 FROM usage_of_node WHERE workspace_id = id AND month = of_month AND node_id = 0 ORDER BY slot DESC LIMIT 1 FOR UPDATE
    ) AS held;
    RETURN asked;
  END IF;
  SELECT array_agg(id) INTO locked FROM (SELECT id FROM unnest(asked) AS id ORDER BY id) AS ordered CROSS JOIN LATERAL (
    SELECT 1 FROM usage_of_node WHERE workspace_id = id AND month = of_month AND node_id = 0 AND slot = newest_slot(id, of_month, 0)
    FOR UPDATE SKIP LOCKED
  ) AS held;
  RETURN coalesce(locked, '{}');
END $$;

CREATE OR REPLACE FUNCTION free_idempotency_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM idempotency_key WHERE workspace_id = old.workspace_id AND key = old.idempotency_key AND event_id = old.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER event_frees_its_key AFTER DELETE ON event
  FOR EACH ROW WHEN (old.idempotency_key IS NOT NULL) EXECUTE FUNCTION free_idempotency_key();

-- Returns the settings of a channel that decide about sounds; handlers/sounds.ts has the same.
CREATE OR REPLACE FUNCTION sound_of(quiet TEXT, rings TEXT, windows TEXT, ring_after BIGINT, rota_id BIGINT) RETURNS TEXT LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN quiet IS NOT NULL OR rings IS NOT NULL OR windows IS NOT NULL OR ring_after IS NOT NULL OR rota_id IS NOT NULL
    THEN '{"quiet":' || coalesce(quiet, 'null') || ',"rings":' || coalesce(rings, 'null')
      || ',"windows":' || coalesce(windows, '[]') || ',"ringAfterS":' || coalesce(ring_after, 0)
      || ',"onCall":' || coalesce(CASE WHEN rota_id IS NOT NULL THEN on_call_plan(rota_id) END, 'null') || '}' END
$$;

-- Limits the scheduled events of a workspace (`MOST_HELD_BACK` in calls/events.ts). Groups accepted at the same moment
-- do not see each other's events.
CREATE OR REPLACE FUNCTION within_waiting(
  verdicts TEXT[], workspace_ids BIGINT[], senders INTEGER[], checks BOOLEAN[], laters BOOLEAN[], wall_ms BIGINT
) RETURNS TEXT[] LANGUAGE sql AS $$
  WITH posted AS MATERIALIZED (
    SELECT nth, verdict, is_later, workspace_ids[sender] AS workspace_id, count(*) FILTER (
      WHERE verdict IS NULL AND is_later AND NOT is_check
    ) OVER (PARTITION BY workspace_ids[sender] ORDER BY nth) + is_check::integer AS rank
    FROM unnest(verdicts, senders, checks, laters) WITH ORDINALITY AS listed(verdict, sender, is_check, is_later, nth)
  ), held AS MATERIALIZED (
    SELECT asked.workspace_id, (
      SELECT count(*) FROM (
        SELECT 1 FROM event WHERE event.workspace_id = asked.workspace_id AND kind = 'scheduled' LIMIT 1000
      ) AS waiting
    ) + (
      SELECT count(*) FROM (
        SELECT 1 FROM event WHERE event.workspace_id = asked.workspace_id AND kind = 'cancelled' AND cancelled_at > wall_ms - 86400000 LIMIT 1000
      ) AS taken_back
    ) AS events
    FROM (SELECT DISTINCT workspace_id FROM posted WHERE is_later AND verdict IS NULL) AS asked
  )
  SELECT array_agg(CASE WHEN verdict IS NULL AND is_later AND rank + events > 1000 THEN 'too_many_scheduled' ELSE verdict END ORDER BY nth)
  FROM posted LEFT JOIN held ON held.workspace_id = posted.workspace_id
$$;
