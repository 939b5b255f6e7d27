-- Events that an error of pushctl itself kept from being worked off on a route. What is left of one stands in the lane
-- `set_aside`, so that nothing else waits for it. Each start brings it back to `lane`, as a newer version may do better.
CREATE TABLE set_aside (
  event_id     INTEGER NOT NULL,
  route        TEXT NOT NULL,
  lane         TEXT NOT NULL,
  workspace_id INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  PRIMARY KEY (event_id, route)
) STRICT, WITHOUT ROWID;
