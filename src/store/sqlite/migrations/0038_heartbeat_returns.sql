-- Webhooks hear that a heartbeat is back also where it was paused while it was down, as its channel does.
DROP TRIGGER webhooks_hear_of_heartbeat;
CREATE TRIGGER webhooks_hear_of_heartbeat AFTER UPDATE OF state ON heartbeat
WHEN new.state <> old.state AND (new.state = 'down' OR new.state = 'up' AND old.down_since IS NOT NULL) BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'heartbeat.' || new.state, 'heartbeat ' || new.id, json_object(
    'slug', new.slug, 'name', new.name, 'channel', channel.slug, 'state', new.state, 'last_ping_at', new.last_ping_at,
    'last_start_at', new.last_start_at, 'last_duration_ms', new.last_duration
  ), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM webhook JOIN channel ON channel.id = new.channel_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% heartbeat.' || new.state || ' %';
END;
