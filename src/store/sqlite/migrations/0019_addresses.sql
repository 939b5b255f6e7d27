-- A device's address. What it is made of and to which route it belongs is known to the table of providers (contract/addresses.ts): nothing
-- here lists platforms or routes, so that a new provider needs no new table. `route` is written beside the address. What a provider knows
-- the device by is its `token`, unique on its platform; `keys` is what a push to it needs beside that, a JSON object, NULL: nothing.
CREATE TABLE device_next (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id       TEXT NOT NULL UNIQUE,
  user_id         INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  platform        TEXT NOT NULL,
  route           TEXT NOT NULL,
  environment     TEXT,
  token_kind      TEXT NOT NULL DEFAULT 'token',
  token           TEXT NOT NULL,
  keys            TEXT,
  name            TEXT NOT NULL,
  app_version     TEXT,
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
  inactive_reason TEXT,
  registered_at   INTEGER NOT NULL,
  accepted_at     INTEGER,
  refused_at      INTEGER,
  refused_reason  TEXT,
  UNIQUE (platform, token)
) STRICT;
INSERT INTO device_next (id, public_id, user_id, platform, route, environment, token_kind, token, name, app_version, status,
  inactive_reason, registered_at, accepted_at, refused_at, refused_reason)
SELECT id, public_id, user_id, platform, route, environment, token_kind, token, name, app_version, status, inactive_reason,
  registered_at, accepted_at, refused_at, refused_reason
FROM device;
-- The highest id that was ever given away, which may be that of a row long gone.
DELETE FROM sqlite_sequence WHERE name = 'device_next';
INSERT INTO sqlite_sequence (name, seq) SELECT 'device_next', seq FROM sqlite_sequence WHERE name = 'device';
DROP TABLE device;
ALTER TABLE device_next RENAME TO device;
CREATE INDEX device_by_user ON device (user_id);
CREATE INDEX device_refused ON device (route, refused_reason, refused_at, accepted_at) WHERE refused_at IS NOT NULL;
