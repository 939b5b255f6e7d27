-- Devices on their way from another system. Of a `staged` import nothing counts yet. The lines of a `committed` one become
-- devices in small steps and go, also after a crash; one without lines is done. A `dropped` one only waits to be removed.
CREATE TABLE import (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL UNIQUE, -- whoever imports chooses it
  workspace_id INTEGER NOT NULL,
  user_id      INTEGER NOT NULL,
  state        TEXT NOT NULL DEFAULT 'staged' CHECK (state IN ('staged', 'committed', 'dropped')),
  touched_at   INTEGER NOT NULL,
  staged       INTEGER NOT NULL DEFAULT 0, -- lines
  wrong        INTEGER NOT NULL DEFAULT 0, -- lines
  mistakes     TEXT NOT NULL DEFAULT '[]', -- the first wrong lines, as JSON
  imported     INTEGER NOT NULL DEFAULT 0,
  updated      INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE import_line (
  import_id INTEGER NOT NULL,
  line      INTEGER NOT NULL,
  device    TEXT NOT NULL, -- JSON; its channels are ids
  PRIMARY KEY (import_id, line)
) STRICT, WITHOUT ROWID;
