-- All times are Unix milliseconds. Times of the queue (due_at, expires_at) come from the steady clock.

PRAGMA application_id = 0x70757368; -- "push": whose file this is

CREATE TABLE plan (
  name           TEXT PRIMARY KEY,
  monthly_events INTEGER CHECK (monthly_events >= 0) -- NULL: unlimited
) STRICT, WITHOUT ROWID;

INSERT INTO plan (name, monthly_events) VALUES ('unlimited', NULL);

CREATE TABLE workspace (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  slug       TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  status     TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  plan       TEXT NOT NULL DEFAULT 'unlimited' REFERENCES plan (name),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE channel (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  slug         TEXT NOT NULL,
  name         TEXT NOT NULL,
  status       TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
  created_at   INTEGER NOT NULL,
  UNIQUE (workspace_id, slug)
) STRICT;

CREATE TABLE api_key (
  id               TEXT PRIMARY KEY,
  workspace_id     INTEGER NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  name             TEXT NOT NULL,
  secret_hash      BLOB NOT NULL CHECK (length(secret_hash) = 32),
  scopes           TEXT NOT NULL, -- separated by blanks
  burst_per_minute INTEGER CHECK (burst_per_minute > 0), -- NULL: the server's default
  created_at       INTEGER NOT NULL,
  expires_at       INTEGER,
  revoked_at       INTEGER,
  last_used_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_by_workspace ON api_key (workspace_id, created_at);

CREATE TABLE user (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  email      TEXT NOT NULL UNIQUE, -- lower case
  name       TEXT NOT NULL,
  password   TEXT, -- scrypt, its parameters in front; NULL: pairing codes only
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE member (
  workspace_id INTEGER NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  user_id      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  role         TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_by_user ON member (user_id);

CREATE TABLE pairing_code (
  code_hash  BLOB PRIMARY KEY CHECK (length(code_hash) = 32),
  user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pairing_code_by_user ON pairing_code (user_id);

CREATE TABLE device (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id       TEXT NOT NULL UNIQUE,
  user_id         INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  platform        TEXT NOT NULL CHECK (platform IN ('ios', 'android')),
  environment     TEXT CHECK (environment IN ('production', 'sandbox')),
  token_kind      TEXT NOT NULL DEFAULT 'token' CHECK (token_kind IN ('token', 'installation_id')),
  token           TEXT NOT NULL,
  name            TEXT NOT NULL,
  app_version     TEXT,
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
  inactive_reason TEXT,
  registered_at   INTEGER NOT NULL,
  route           TEXT NOT NULL GENERATED ALWAYS AS (
    CASE WHEN platform = 'android' THEN 'fcm' WHEN environment = 'sandbox' THEN 'apns_sandbox' ELSE 'apns_production' END
  ) VIRTUAL,
  UNIQUE (platform, token),
  CHECK ((platform = 'ios') = (environment IS NOT NULL))
) STRICT;
CREATE INDEX device_by_user ON device (user_id);

-- `number` only grows, so an event that remembers the highest one at its acceptance never reaches a later subscriber.
-- A device that comes back to life gets a new number for the same reason. `route` and `active` repeat the device's.
CREATE TABLE subscription (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  channel_id INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
  device_id  INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  route      TEXT NOT NULL,
  active     INTEGER NOT NULL CHECK (active IN (0, 1)),
  UNIQUE (device_id, channel_id)
) STRICT;
CREATE INDEX subscription_on_route ON subscription (channel_id, route, active, number);

-- How many active subscriptions a channel has on each route, so that accepting an event counts no rows.
CREATE TABLE audience (
  channel_id INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
  route      TEXT NOT NULL,
  devices    INTEGER NOT NULL,
  PRIMARY KEY (channel_id, route)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER subscription_joins AFTER INSERT ON subscription WHEN new.active = 1 BEGIN
  INSERT INTO audience (channel_id, route, devices) VALUES (new.channel_id, new.route, 1)
    ON CONFLICT DO UPDATE SET devices = devices + 1;
END;
CREATE TRIGGER subscription_leaves AFTER DELETE ON subscription WHEN old.active = 1 BEGIN
  UPDATE audience SET devices = devices - 1 WHERE channel_id = old.channel_id AND route = old.route;
END;
CREATE TRIGGER subscription_changes AFTER UPDATE OF active, route ON subscription
WHEN old.active <> new.active OR old.route <> new.route BEGIN
  UPDATE audience SET devices = devices - old.active WHERE channel_id = old.channel_id AND route = old.route;
  INSERT INTO audience (channel_id, route, devices) VALUES (new.channel_id, new.route, new.active)
    ON CONFLICT DO UPDATE SET devices = devices + new.active;
END;

-- The id is never used again: a batch in flight may still name an event that was deleted meanwhile.
CREATE TABLE event (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid              BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  workspace_id      INTEGER NOT NULL,
  channel_id        INTEGER, -- NULL: a test push to one device
  title             TEXT NOT NULL,
  description       TEXT,
  level             TEXT NOT NULL,
  urgency           TEXT NOT NULL,
  event_type        TEXT,
  idempotency_key   TEXT,
  had_links         INTEGER NOT NULL CHECK (had_links IN (0, 1)), -- whether there were any; never the links
  targeted          INTEGER NOT NULL,
  received_at       INTEGER NOT NULL,
  expires_at        INTEGER NOT NULL,
  accepted          INTEGER NOT NULL DEFAULT 0,
  failed            INTEGER NOT NULL DEFAULT 0,
  unregistered      INTEGER NOT NULL DEFAULT 0,
  expired           INTEGER NOT NULL DEFAULT 0,
  withdrawn         INTEGER NOT NULL DEFAULT 0,
  fitted            INTEGER NOT NULL DEFAULT 0,
  first_accepted_at INTEGER,
  last_accepted_at  INTEGER
) STRICT;
CREATE INDEX event_by_channel ON event (channel_id, id);
CREATE INDEX event_by_workspace ON event (workspace_id, id);
CREATE UNIQUE INDEX event_by_idempotency_key ON event (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE usage (
  workspace_id INTEGER NOT NULL,
  month        TEXT NOT NULL, -- 2026-11
  events       INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, month)
) STRICT, WITHOUT ROWID;

-- The queue: an event's way through its subscriptions on one route. Everything up to `cursor` is settled; `last` is the
-- highest subscription number at acceptance. The key's order is the order in which turns are given.
CREATE TABLE fan_out (
  route        TEXT NOT NULL,
  lane         TEXT NOT NULL,
  workspace_id INTEGER NOT NULL,
  event_id     INTEGER NOT NULL,
  channel_id   INTEGER NOT NULL,
  cursor       INTEGER NOT NULL DEFAULT 0,
  last         INTEGER NOT NULL,
  targeted     INTEGER NOT NULL,
  recorded     INTEGER NOT NULL DEFAULT 0, -- how many of the targeted have a delivery row
  PRIMARY KEY (route, lane, workspace_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery (
  event_id     INTEGER NOT NULL,
  device_id    INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  route        TEXT NOT NULL,
  lane         TEXT NOT NULL,
  state        TEXT NOT NULL,
  attempts     INTEGER NOT NULL,
  reason       TEXT,
  at           INTEGER NOT NULL,
  due_at       INTEGER, -- of a pending one: when it is tried next
  PRIMARY KEY (event_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (route, lane, workspace_id, due_at) WHERE state = 'pending';

-- Tries that were not the last one of their delivery.
CREATE TABLE attempt (
  event_id  INTEGER NOT NULL,
  device_id INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  PRIMARY KEY (event_id, device_id, number)
) STRICT, WITHOUT ROWID;

-- Counters by hour. `measure`: events, fitted, links_lost, deferred, or a final delivery state; `reason` '' where there
-- is none. Or `latency`, from 202 to acceptance: `reason` is then the histogram's bucket (src/histogram.ts), and
-- channel_id is 0.
CREATE TABLE tally (
  hour         INTEGER NOT NULL, -- its first millisecond
  workspace_id INTEGER NOT NULL,
  channel_id   INTEGER NOT NULL, -- 0: test pushes
  route        TEXT NOT NULL, -- '' for events
  measure      TEXT NOT NULL,
  reason       TEXT NOT NULL,
  count        INTEGER NOT NULL,
  PRIMARY KEY (hour, workspace_id, channel_id, route, measure, reason)
) STRICT, WITHOUT ROWID;
