-- Expected signs of life. `every` and `grace` in seconds; `cron`, five fields in a time zone, stands in place of `every`. `due_at`: when the
-- next ping is due; `down_at`: when one that has not come counts as missed, or a run that has started and not ended. Both are of the queue's
-- clock, as are `started_at` (of a run, whose id is `rid`) and `down_since`. NULL: nothing is waited for.
CREATE TABLE heartbeat (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id  INTEGER NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  channel_id    INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
  slug          TEXT NOT NULL,
  name          TEXT NOT NULL,
  uuid          TEXT NOT NULL UNIQUE,
  every         INTEGER,
  cron          TEXT,
  timezone      TEXT,
  grace         INTEGER NOT NULL,
  state         TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'up', 'down', 'paused')),
  last_ping_at  INTEGER,
  last_start_at INTEGER,
  last_duration INTEGER, -- milliseconds
  last_output   TEXT,
  started_at    INTEGER,
  rid           TEXT,
  due_at        INTEGER,
  down_at       INTEGER,
  down_since    INTEGER,
  created_at    INTEGER NOT NULL,
  UNIQUE (workspace_id, slug),
  CHECK ((every IS NULL) = (cron IS NOT NULL))
) STRICT;
CREATE INDEX heartbeat_by_channel ON heartbeat (channel_id);
CREATE INDEX heartbeat_by_down_at ON heartbeat (down_at) WHERE down_at IS NOT NULL;

-- When pings could last be taken, by both clocks: what lies between that and now was an outage.
CREATE TABLE heartbeat_mark (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  at      INTEGER NOT NULL,
  wall_at INTEGER NOT NULL
) STRICT;
