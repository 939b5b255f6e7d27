-- Channels that insist: how often a reminder is sent while an alert is open, for how long, and after how long it reaches which other channel
-- as well, in seconds. `insist_repeat` NULL: it does not insist. `escalate_to`: the other channel's id, which may be gone.
ALTER TABLE channel ADD COLUMN insist_repeat INTEGER;
ALTER TABLE channel ADD COLUMN insist_until INTEGER;
ALTER TABLE channel ADD COLUMN escalate_after INTEGER;
ALTER TABLE channel ADD COLUMN escalate_to INTEGER;
CREATE INDEX channel_insists ON channel (id) WHERE insist_repeat IS NOT NULL;

-- `kind`: a reminder or a notice, which no list shows; NULL: it was posted. `alert_id`: the alert that it belongs to. `alert`: what its pushes
-- carry of that, a JSON object (verbs/alerts/push.ts).
ALTER TABLE event ADD COLUMN kind TEXT;
ALTER TABLE event ADD COLUMN alert_id INTEGER;
ALTER TABLE event ADD COLUMN alert TEXT;
CREATE INDEX event_of_alert ON event (alert_id, id) WHERE alert_id IS NOT NULL;
CREATE INDEX event_of_kind ON event (channel_id, id) WHERE kind IS NOT NULL;

-- Alerts, by the event that opened each. An event of its channel and key joins one that lives. By the clock of the queue: `stops_at`, when
-- an open one expires; `escalate_at`, when it reaches the next channel; `snoozed_until`, when an acknowledged one opens again; `due_at`, the
-- first of all that is to come, NULL once it has ended.
CREATE TABLE alert (
  event_id          INTEGER PRIMARY KEY,
  workspace_id      INTEGER NOT NULL,
  channel_id        INTEGER NOT NULL,
  collapse_key      TEXT, -- NULL: none joins it
  state             TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'expired')),
  newest_event_id   INTEGER NOT NULL,
  opened_at         INTEGER NOT NULL,
  stops_at          INTEGER NOT NULL,
  escalate_at       INTEGER,
  snoozed_until     INTEGER,
  due_at            INTEGER,
  reminders         INTEGER NOT NULL DEFAULT 0,
  reminded_at       INTEGER,
  acknowledged_kind TEXT,
  acknowledged_by   TEXT, -- a name
  acknowledged_at   INTEGER,
  ended_kind        TEXT,
  ended_by          TEXT, -- a name; NULL: of nothing that has one
  ended_at          INTEGER
) STRICT;
CREATE UNIQUE INDEX alert_live ON alert (channel_id, collapse_key)
  WHERE collapse_key IS NOT NULL AND state IN ('open', 'acknowledged');
CREATE INDEX alert_of_channel ON alert (channel_id, event_id) WHERE state IN ('open', 'acknowledged');
CREATE INDEX alert_by_workspace ON alert (workspace_id, event_id);
CREATE INDEX alert_due ON alert (due_at) WHERE due_at IS NOT NULL;

-- The channels that an alert has reached beside its own, in their order.
CREATE TABLE escalation (
  event_id   INTEGER NOT NULL, -- the alert's
  place      INTEGER NOT NULL,
  channel_id INTEGER NOT NULL,
  PRIMARY KEY (event_id, place)
) STRICT, WITHOUT ROWID;

-- Channels with an open alert: when their next reminder is due by the clock of the queue, and what lies between two of them.
CREATE TABLE insisting (
  channel_id INTEGER PRIMARY KEY,
  next_at    INTEGER NOT NULL,
  repeat_ms  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER event_takes_its_alert AFTER DELETE ON event WHEN old.alert_id = old.id BEGIN
  DELETE FROM escalation WHERE event_id = old.id;
  DELETE FROM alert WHERE event_id = old.id;
END;
CREATE TRIGGER channel_insists_no_more AFTER DELETE ON channel WHEN old.insist_repeat IS NOT NULL BEGIN
  DELETE FROM insisting WHERE channel_id = old.id;
END;
