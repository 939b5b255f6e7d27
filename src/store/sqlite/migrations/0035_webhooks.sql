-- Addresses that hear of a workspace's alerts and heartbeats. `kinds`: of what, with a blank around each. Of two secrets the old one signs as
-- well until `old_secret_ends_at`. By the clock of the queue: `rests_until`, before which nothing is tried after a failure, `busy_until`, the
-- lease of a server that is sending to it, and `served_at`, when that was last. `failing_since`: by the wall clock, since when nothing was taken. `dropped`: messages that were
-- given up.
CREATE TABLE webhook (
  id                 TEXT PRIMARY KEY,
  workspace_id       INTEGER NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  url                TEXT NOT NULL,
  kinds              TEXT NOT NULL,
  secret             TEXT NOT NULL,
  old_secret         TEXT,
  old_secret_ends_at INTEGER,
  status             TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  disabled_reason    TEXT,
  failures           INTEGER NOT NULL DEFAULT 0,
  failing_since      INTEGER,
  last_failure       TEXT,
  last_taken_at      INTEGER,
  dropped            INTEGER NOT NULL DEFAULT 0,
  rests_until        INTEGER NOT NULL DEFAULT 0,
  busy_until         INTEGER NOT NULL DEFAULT 0,
  served_at          INTEGER NOT NULL DEFAULT 0,
  created_at         INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_by_workspace ON webhook (workspace_id);

-- What they have yet to hear, written in the transaction of what it reports. `message`: the id under which it is sent, again and again.
-- `subject`: messages of one go in their order. `data`: what a receiver gets, as it was then, times in milliseconds. `due_at`: by the clock of
-- the queue.
CREATE TABLE webhook_message (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id   TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  workspace_id INTEGER NOT NULL,
  message      TEXT NOT NULL,
  kind         TEXT NOT NULL,
  subject      TEXT NOT NULL,
  data         TEXT NOT NULL,
  at           INTEGER NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  due_at       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhook_message_in_turn ON webhook_message (webhook_id, subject, id);
CREATE INDEX webhook_message_due ON webhook_message (due_at, webhook_id);

CREATE VIEW webhook_alert AS
SELECT alert.event_id, json_object(
  'id', lower(hex(opening.uuid)), 'channel', channel.slug, 'state', alert.state, 'title', newest.title, 'level', newest.level,
  'newest_event', lower(hex(newest.uuid)), 'opened_at', alert.opened_at, 'reminders', alert.reminders,
  'acknowledged_by', alert.acknowledged_by, 'acknowledged_at', alert.acknowledged_at,
  'ended_by', coalesce(alert.ended_by, alert.ended_kind), 'ended_at', alert.ended_at
) AS data
FROM alert
JOIN event AS opening ON opening.id = alert.event_id
JOIN event AS newest ON newest.id = alert.newest_event_id
JOIN channel ON channel.id = alert.channel_id;

-- Rows of alerts and heartbeats change seldom, and none of this is asked of an event that opens no alert.
CREATE TRIGGER webhooks_hear_of_new_alert AFTER INSERT ON alert BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'alert.opened', 'alert ' || new.event_id, webhook_alert.data, new.opened_at
  FROM webhook JOIN webhook_alert ON webhook_alert.event_id = new.event_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% alert.opened %';
END;

-- One that opens again when its snooze is over is opened once more. What a restore ends was told before it.
CREATE TRIGGER webhooks_hear_of_alert AFTER UPDATE OF state ON alert
WHEN new.state <> old.state AND new.ended_kind IS NOT 'restored' BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), heard.kind, 'alert ' || new.event_id, webhook_alert.data,
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM (SELECT CASE new.state WHEN 'open' THEN 'alert.opened' ELSE 'alert.' || new.state END AS kind) AS heard
  JOIN webhook ON webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% ' || heard.kind || ' %'
  JOIN webhook_alert ON webhook_alert.event_id = new.event_id;
END;

CREATE TRIGGER webhooks_hear_of_heartbeat AFTER UPDATE OF state ON heartbeat
WHEN new.state <> old.state AND (new.state = 'down' OR new.state = 'up' AND old.state = 'down') BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'heartbeat.' || new.state, 'heartbeat ' || new.id, json_object(
    'slug', new.slug, 'name', new.name, 'channel', channel.slug, 'state', new.state, 'last_ping_at', new.last_ping_at,
    'last_start_at', new.last_start_at, 'last_duration_ms', new.last_duration
  ), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM webhook JOIN channel ON channel.id = new.channel_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% heartbeat.' || new.state || ' %';
END;
