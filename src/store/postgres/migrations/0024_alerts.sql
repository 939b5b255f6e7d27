-- As in SQLite (0029_alerts.sql). Channels that insist: how often a reminder is sent while an alert is open, for how long, and after how long it
-- reaches which other channel as well, in seconds. `insist_repeat` NULL: it does not insist. `escalate_to`: the other channel's id, which may
-- be gone.
ALTER TABLE channel ADD COLUMN insist_repeat BIGINT, ADD COLUMN insist_until BIGINT, ADD COLUMN escalate_after BIGINT, ADD COLUMN escalate_to BIGINT;
CREATE INDEX channel_insists ON channel (id) WHERE insist_repeat IS NOT NULL;

-- `kind`: a reminder or a notice, which no list shows; NULL: it was posted. `alert_id`: the alert that it belongs to. `alert`: what its pushes
-- carry of that, a JSON object (verbs/alerts/push.ts).
ALTER TABLE event ADD COLUMN kind TEXT, ADD COLUMN alert_id BIGINT, ADD COLUMN alert TEXT;
CREATE INDEX event_of_alert ON event (alert_id, id) WHERE alert_id IS NOT NULL;
CREATE INDEX event_of_kind ON event (channel_id, id) WHERE kind IS NOT NULL;

-- Alerts, by the event that opened each. An event of its channel and key joins one that lives. By the clock of the queue: `stops_at`, when
-- an open one expires; `escalate_at`, when it reaches the next channel; `snoozed_until`, when an acknowledged one opens again; `due_at`, the
-- first of all that is to come, NULL once it has ended.
CREATE TABLE alert (
  event_id          BIGINT PRIMARY KEY,
  workspace_id      BIGINT NOT NULL,
  channel_id        BIGINT NOT NULL,
  collapse_key      TEXT COLLATE "C", -- NULL: none joins it
  state             TEXT COLLATE "C" NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'expired')),
  newest_event_id   BIGINT NOT NULL,
  opened_at         BIGINT NOT NULL,
  stops_at          BIGINT NOT NULL,
  escalate_at       BIGINT,
  snoozed_until     BIGINT,
  due_at            BIGINT,
  reminders         BIGINT NOT NULL DEFAULT 0,
  reminded_at       BIGINT,
  acknowledged_kind TEXT,
  acknowledged_by   TEXT, -- a name
  acknowledged_at   BIGINT,
  ended_kind        TEXT,
  ended_by          TEXT, -- a name; NULL: of nothing that has one
  ended_at          BIGINT
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX alert_live ON alert (channel_id, collapse_key)
  WHERE collapse_key IS NOT NULL AND state IN ('open', 'acknowledged');
CREATE INDEX alert_of_channel ON alert (channel_id, event_id) WHERE state IN ('open', 'acknowledged');
CREATE INDEX alert_by_workspace ON alert (workspace_id, event_id);
CREATE INDEX alert_due ON alert (due_at) WHERE due_at IS NOT NULL;

-- The channels that an alert has reached beside its own, in their order.
CREATE TABLE escalation (
  event_id   BIGINT NOT NULL, -- the alert's
  place      BIGINT NOT NULL,
  channel_id BIGINT NOT NULL,
  PRIMARY KEY (event_id, place)
);

-- Channels with an open alert: when their next reminder is due by the clock of the queue, and what lies between two of them.
CREATE TABLE insisting (
  channel_id BIGINT PRIMARY KEY,
  next_at    BIGINT NOT NULL,
  repeat_ms  BIGINT NOT NULL
) WITH (fillfactor = 50);
