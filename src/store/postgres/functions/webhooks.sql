CREATE OR REPLACE FUNCTION webhooks_hear(its_workspace BIGINT, its_kind TEXT, its_subject TEXT, its_data TEXT) RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT id, its_workspace, replace(gen_random_uuid()::text, '-', ''), its_kind, its_subject, its_data,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  FROM webhook WHERE workspace_id = its_workspace AND status = 'active' AND kinds LIKE '% ' || its_kind || ' %'
  -- Waits for webhooks being deleted, and skips them.
  ORDER BY id FOR KEY SHARE
$$;

CREATE OR REPLACE FUNCTION webhooks_hear_of_alert() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  heard TEXT := CASE new.state WHEN 'open' THEN 'alert.opened' ELSE 'alert.' || new.state END;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF new.reopened_at IS DISTINCT FROM old.reopened_at THEN heard := 'alert.reopened';
    ELSIF new.assigned_at IS DISTINCT FROM old.assigned_at THEN heard := 'alert.reassigned';
    END IF;
  END IF;
  IF EXISTS (SELECT 1 FROM webhook WHERE workspace_id = new.workspace_id) THEN
    PERFORM webhooks_hear(new.workspace_id, heard, 'alert ' || new.event_id, data) FROM webhook_alert WHERE event_id = new.event_id;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER webhooks_hear_of_new_alert AFTER INSERT ON alert FOR EACH ROW EXECUTE FUNCTION webhooks_hear_of_alert();
-- Reopening after a snooze is reported again. Alerts that a restore ends were reported before it.
CREATE OR REPLACE TRIGGER webhooks_hear_of_alert AFTER UPDATE OF state, assigned_at ON alert FOR EACH ROW
  WHEN ((new.state <> old.state OR new.assigned_at IS DISTINCT FROM old.assigned_at) AND new.ended_kind IS DISTINCT FROM 'restored') EXECUTE FUNCTION webhooks_hear_of_alert();

CREATE OR REPLACE FUNCTION webhooks_hear_of_heartbeat() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM webhook WHERE workspace_id = new.workspace_id) THEN
    PERFORM webhooks_hear(new.workspace_id, 'heartbeat.' || new.state, 'heartbeat ' || new.id, json_build_object(
      'slug', new.slug, 'name', new.name, 'channel', channel.slug, 'state', new.state, 'last_ping_at', new.last_ping_at,
      'last_start_at', new.last_start_at, 'last_duration_ms', new.last_duration
    )::text) FROM channel WHERE id = new.channel_id;
  END IF;
  RETURN NULL;
END $$;
-- A flapping heartbeat notifies webhooks as rarely as its channel.
CREATE OR REPLACE TRIGGER webhooks_hear_of_heartbeat AFTER UPDATE OF state, flaps_since ON heartbeat FOR EACH ROW
  WHEN (CASE WHEN old.flaps_since IS NOT NULL THEN new.flaps_since IS NULL AND new.state = 'up' AND old.down_since IS NOT NULL
    ELSE new.state <> old.state AND (new.state = 'down' OR new.state = 'up' AND old.down_since IS NOT NULL AND new.flaps_since IS NULL) END)
  EXECUTE FUNCTION webhooks_hear_of_heartbeat();

CREATE OR REPLACE FUNCTION webhooks_hear_of_settled() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM webhook WHERE workspace_id = new.workspace_id) THEN
    PERFORM webhooks_hear(new.workspace_id, 'event.settled', 'event ' || new.id, json_build_object(
      'id', encode(new.uuid, 'hex'), 'channel', channel.slug, 'level', new.level, 'event_type', new.event_type, 'received_at', new.received_at, 'quiet', new.quiet,
      'deliveries', json_build_object(
        'accepted', new.accepted, 'failed', new.failed, 'unregistered', new.unregistered, 'expired', new.expired, 'withdrawn', new.withdrawn
      )
    )::text) FROM channel WHERE id = new.channel_id;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER webhooks_hear_of_settled AFTER UPDATE OF accepted, failed, unregistered, expired, withdrawn ON event FOR EACH ROW
  WHEN (
    new.kind IS NULL
    AND new.targeted <= new.accepted + new.failed + new.unregistered + new.expired + new.withdrawn
    AND old.targeted > old.accepted + old.failed + old.unregistered + old.expired + old.withdrawn
  )
  EXECUTE FUNCTION webhooks_hear_of_settled();
