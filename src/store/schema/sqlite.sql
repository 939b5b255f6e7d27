-- Only SQLite. It has one writer, so a fan-out is a cursor, and one row counts for all.

PRAGMA application_id = 0x70757368; -- "push": the file belongs to pushctl

-- `skipped_at_start`: as the process that has the database open counts it.
ALTER TABLE queue_clock ADD COLUMN skipped_at_start INTEGER NOT NULL DEFAULT 0;

-- Finds the first event with a key.
CREATE UNIQUE INDEX event_by_idempotency_key ON event (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- Unfinished events by expiry, another order than by id: for the sweep, and at a start after the clock was set back.
CREATE INDEX event_unfinished ON event (expires_at, id, expires_in)
  WHERE targeted > accepted + failed + unregistered + expired + withdrawn;
CREATE INDEX delivery_due ON delivery (route, lane, workspace_id, due_at) WHERE state = 'pending'; -- retries by turns

-- `number` only grows, so an event that stores the highest at its acceptance never reaches a later subscriber. Reactivated devices get a
-- new number. `route`, `active` and `user_id` repeat the device's. Rows without channel or device wait to be removed. `min_level`: index in
-- LEVELS (push.ts) of the lowest level sent. `muted_until`: wall clock; 0: not muted.
CREATE TABLE subscription (
  number      {identity},
  channel_id  {integer} NOT NULL,
  device_id   {integer} NOT NULL,
  user_id     {integer} NOT NULL,
  route       {text} NOT NULL,
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  min_level   INTEGER NOT NULL DEFAULT 0 CHECK (min_level BETWEEN 0 AND 3),
  muted_until {integer} NOT NULL DEFAULT 0,
  generation  {integer} NOT NULL DEFAULT 0, -- the device's when the row was written
  UNIQUE (device_id, channel_id)
) {strict};
CREATE INDEX subscription_on_route ON subscription (channel_id, route, active, number);
CREATE INDEX subscription_by_user ON subscription (user_id, channel_id, device_id);

CREATE TABLE usage (
  workspace_id {integer} NOT NULL,
  month        {text} NOT NULL, -- 2026-11
  events       {integer} NOT NULL,
  PRIMARY KEY (workspace_id, month)
) {strict keyed};

-- Counters by hour. `measure`: events, fitted, links_lost, deferred, or a final delivery state; `reason` may be ''. Or `latency`, from 202
-- to acceptance, with the histogram's bucket (histogram.ts) as `reason` and channel_id 0.
CREATE TABLE tally (
  hour         {integer} NOT NULL, -- its first millisecond
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL, -- 0: test pushes
  route        {text} NOT NULL, -- '' for events
  measure      {text} NOT NULL,
  reason       {text} NOT NULL,
  count        {integer} NOT NULL,
  PRIMARY KEY (hour, workspace_id, channel_id, route, measure, reason)
) {strict keyed};

-- The queue: how far an event is sent on one route. Everything up to `cursor` is settled; `last`: the highest subscription number at
-- acceptance. The key is the order of turns. A row lives from its event to the last record. Even for one device this costs less than a
-- delivery that is pending at first, with its entries in three indexes: 13 µs instead of 16.
CREATE TABLE fan_out (
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  workspace_id {integer} NOT NULL,
  event_id     {integer} NOT NULL,
  channel_id   {integer} NOT NULL,
  cursor       {integer} NOT NULL DEFAULT 0,
  last         {integer} NOT NULL,
  targeted     {integer} NOT NULL,
  recorded     {integer} NOT NULL DEFAULT 0, -- how many of the targeted have a delivery row
  PRIMARY KEY (route, lane, workspace_id, event_id)
) {strict keyed};

-- Import lines are sorted by a sample of tokens, to insert them close together in the token index.
CREATE TABLE import_sample (
  import_id {integer} NOT NULL,
  address   {text} NOT NULL, -- the platform, and the first characters of the token
  PRIMARY KEY (import_id, address)
) {strict keyed};
CREATE TABLE import_line (
  import_id {integer} NOT NULL,
  behind    {text} NOT NULL, -- the last address of the sample that is not after its own; '' if there is none
  line      {integer} NOT NULL,
  device    {text} NOT NULL, -- JSON, with ids of channels
  PRIMARY KEY (import_id, behind, line)
) {strict keyed};

CREATE TRIGGER subscription_joins AFTER INSERT ON subscription WHEN new.active = 1 BEGIN
  INSERT INTO audience (channel_id, route, devices) VALUES (new.channel_id, new.route, 1)
    ON CONFLICT DO UPDATE SET devices = devices + 1;
END;
CREATE TRIGGER subscription_leaves AFTER DELETE ON subscription WHEN old.active = 1 BEGIN
  UPDATE audience SET devices = devices - 1 WHERE channel_id = old.channel_id AND route = old.route;
END;
CREATE TRIGGER subscription_changes AFTER UPDATE OF active, route ON subscription
WHEN (old.active <> new.active OR old.route <> new.route) AND EXISTS (SELECT 1 FROM channel WHERE id = new.channel_id) BEGIN
  UPDATE audience SET devices = devices - old.active WHERE channel_id = old.channel_id AND route = old.route;
  INSERT INTO audience (channel_id, route, devices) VALUES (new.channel_id, new.route, new.active)
    ON CONFLICT DO UPDATE SET devices = devices + new.active;
END;

CREATE TRIGGER channel_deletion_adds_job AFTER DELETE ON channel BEGIN
  INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('channel', old.workspace_id, old.id);
END;
CREATE TRIGGER workspace_deletion_adds_job AFTER DELETE ON workspace BEGIN
  INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('workspace', old.id, old.id);
END;
CREATE TRIGGER member_deletion_adds_job AFTER DELETE ON member BEGIN
  INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('member', old.workspace_id, old.user_id);
END;
CREATE TRIGGER rota_deletion_adds_job AFTER DELETE ON rota BEGIN
  INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('rota', old.workspace_id, old.id);
END;

-- Up to 16 subscriptions follow a deleted device at once, up to 8 an inactive one: a provider may report many. A job does the rest.
CREATE TRIGGER device_leaves AFTER DELETE ON device BEGIN
  DELETE FROM subscription WHERE number IN (SELECT number FROM subscription WHERE device_id = old.id LIMIT 16);
  INSERT INTO cleanup_job (kind, workspace_id, id) SELECT 'device', 0, old.id WHERE EXISTS (SELECT 1 FROM subscription WHERE device_id = old.id);
END;
CREATE TRIGGER device_falls_silent AFTER UPDATE OF status ON device WHEN old.status = 'active' AND new.status = 'inactive' BEGIN
  UPDATE subscription SET active = 0 WHERE number IN (SELECT number FROM subscription WHERE device_id = new.id AND active = 1 LIMIT 8);
  INSERT INTO cleanup_job (kind, workspace_id, id)
    SELECT 'device', 0, new.id WHERE EXISTS (SELECT 1 FROM subscription WHERE device_id = new.id AND active = 1);
END;

CREATE TRIGGER event_takes_its_alert AFTER DELETE ON event WHEN old.alert_id = old.id BEGIN
  DELETE FROM escalation WHERE event_id = old.id;
  DELETE FROM alert WHERE event_id = old.id;
END;
CREATE TRIGGER channel_insists_no_more AFTER DELETE ON channel WHEN old.insist_repeat IS NOT NULL BEGIN
  DELETE FROM insisting WHERE channel_id = old.id;
END;

CREATE VIEW webhook_alert AS
SELECT alert.event_id, json_object(
  'id', lower(hex(opening.uuid)), 'channel', coalesce(channel.slug, alert_mark.channel), 'state', alert.state, 'title', newest.title, 'level', newest.level,
  'newest_event', lower(hex(newest.uuid)), 'opened_at', alert.opened_at,
  'reminders', alert.reminders + CASE alert.state WHEN 'open' THEN coalesce(channel.reminders - alert.reminders_from, 0) ELSE 0 END,
  'acknowledged_by', alert.acknowledged_by, 'acknowledged_at', alert.acknowledged_at,
  'ended_by', coalesce(alert.ended_by, alert.ended_kind), 'ended_at', alert.ended_at,
  'reopened_by', alert.reopened_by, 'reopened_at', alert.reopened_at, 'assigned_to', alert.assigned_to, 'assigned_by', alert.assigned_by,
  'assigned_at', alert.assigned_at
) AS data
FROM alert
JOIN event AS opening ON opening.id = alert.event_id
JOIN event AS newest ON newest.id = alert.newest_event_id
LEFT JOIN channel ON channel.id = alert.channel_id
LEFT JOIN alert_mark ON alert_mark.number = alert.mark
WHERE channel.id IS NOT NULL OR alert_mark.number IS NOT NULL;

-- Alerts and heartbeats change seldom; events that open no alert fire none of these.
CREATE TRIGGER webhooks_hear_of_new_alert AFTER INSERT ON alert BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'alert.opened', 'alert ' || new.event_id, webhook_alert.data, new.opened_at
  FROM webhook JOIN webhook_alert ON webhook_alert.event_id = new.event_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% alert.opened %';
END;

-- Reopening after a snooze is reported again. Alerts that a restore ends were reported before it.
CREATE TRIGGER webhooks_hear_of_alert AFTER UPDATE OF state, assigned_at ON alert
WHEN (new.state <> old.state OR new.assigned_at IS NOT old.assigned_at) AND new.ended_kind IS NOT 'restored' BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), heard.kind, 'alert ' || new.event_id, webhook_alert.data,
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM (SELECT CASE
    WHEN new.reopened_at IS NOT old.reopened_at THEN 'alert.reopened'
    WHEN new.assigned_at IS NOT old.assigned_at THEN 'alert.reassigned'
    WHEN new.state = 'open' THEN 'alert.opened'
    ELSE 'alert.' || new.state
  END AS kind) AS heard
  JOIN webhook ON webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% ' || heard.kind || ' %'
  JOIN webhook_alert ON webhook_alert.event_id = new.event_id;
END;

-- Heartbeats paused while down are back too, as in the channel. Webhooks get as little about flapping ones as the channel.
CREATE TRIGGER webhooks_hear_of_heartbeat AFTER UPDATE OF state, flaps_since ON heartbeat
WHEN CASE WHEN old.flaps_since IS NOT NULL THEN new.flaps_since IS NULL AND new.state = 'up' AND old.down_since IS NOT NULL
  ELSE new.state <> old.state AND (new.state = 'down' OR new.state = 'up' AND old.down_since IS NOT NULL AND new.flaps_since IS NULL) END BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'heartbeat.' || new.state, 'heartbeat ' || new.id, json_object(
    'slug', new.slug, 'name', new.name, 'channel', channel.slug, 'state', new.state, 'last_ping_at', new.last_ping_at,
    'last_start_at', new.last_start_at, 'last_duration_ms', new.last_duration
  ), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM webhook JOIN channel ON channel.id = new.channel_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% heartbeat.' || new.state || ' %';
END;

-- An event is settled when no push is pending, and again after a resend. Reminders, notices and events without a channel are not reported.
-- Workspaces without webhooks cost one index lookup per event.
CREATE TRIGGER webhooks_hear_of_settled AFTER UPDATE OF accepted, failed, unregistered, expired, withdrawn ON event
WHEN new.kind IS NULL
  AND new.targeted <= new.accepted + new.failed + new.unregistered + new.expired + new.withdrawn
  AND old.targeted > old.accepted + old.failed + old.unregistered + old.expired + old.withdrawn
BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'event.settled', 'event ' || new.id, json_object(
    'id', lower(hex(new.uuid)), 'channel', channel.slug, 'level', new.level, 'event_type', new.event_type, 'received_at', new.received_at, 'quiet', new.quiet,
    'deliveries', json_object(
      'accepted', new.accepted, 'failed', new.failed, 'unregistered', new.unregistered, 'expired', new.expired, 'withdrawn', new.withdrawn
    )
  ), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM webhook JOIN channel ON channel.id = new.channel_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% event.settled %';
END;
