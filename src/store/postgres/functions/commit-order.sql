-- Makes events' ids and times safe to follow: no earlier event appears later. Both are assigned before the commit, and
-- commits have another order.

CREATE OR REPLACE FUNCTION wait_for_accepts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(3, current_schema()::text::regnamespace::oid::int);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER workspace_changes_plan BEFORE UPDATE OF plan ON workspace
  FOR EACH STATEMENT EXECUTE FUNCTION wait_for_accepts();
CREATE OR REPLACE TRIGGER plan_changes_allowance BEFORE UPDATE OF monthly_events ON plan
  FOR EACH STATEMENT EXECUTE FUNCTION wait_for_accepts();
CREATE OR REPLACE TRIGGER channel_is_deleted BEFORE DELETE ON channel
  FOR EACH STATEMENT EXECUTE FUNCTION wait_for_accepts();
-- Removing a policy, or deactivating the channel, finds every alert that the policy opened.
CREATE OR REPLACE TRIGGER channel_changes_its_policy BEFORE UPDATE OF insist_repeat ON channel
  FOR EACH STATEMENT EXECUTE FUNCTION wait_for_accepts();

-- Returns the newest assigned id, even before its event is stored.
CREATE OR REPLACE FUNCTION newest_event_id() RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_id_seq;
END $$;

-- Returns the newest event up to which none is added. Call it before reading the list, in its own transaction or an
-- earlier statement. Awaits running accepts, at most `most_ms`.
CREATE OR REPLACE FUNCTION newest_to_follow(most_ms BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
  began CONSTANT TIMESTAMPTZ := clock_timestamp();
  until_ms CONSTANT INTERVAL := most_ms * INTERVAL '1 millisecond';
  schema_oid CONSTANT OID := current_schema()::text::regnamespace::oid;
  asked_at BIGINT;
  newest BIGINT;
  seen BIGINT;
  open_after BIGINT;
BEGIN
  LOOP
    newest := newest_event_id();
    asked_at := coalesce(asked_at, newest);
    SELECT min(newest - ((newest - objid::bigint) & 4294967295)) INTO open_after FROM pg_locks
    WHERE locktype = 'advisory' AND classid = schema_oid AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    seen := newest_event_id();
    -- Without an id assigned meanwhile, each transaction with one was seen or ended.
    IF seen = newest AND (open_after IS NULL OR open_after >= asked_at) THEN EXIT; END IF;
    EXIT WHEN clock_timestamp() - began > until_ms AND (seen = newest OR clock_timestamp() - began > until_ms * 10);
    PERFORM pg_sleep(0.002);
  END LOOP;
  RETURN least(newest, open_after);
END $$;
