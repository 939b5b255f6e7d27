-- What may be used a number of times in any window of time, by all nodes together. A crash of the database empties it, which is as if the
-- windows were at their beginning. Uses are counted by slots, a 60th of the window each.
CREATE UNLOGGED TABLE rolling_window (
  name     TEXT COLLATE "C" PRIMARY KEY,
  slot_ms  BIGINT NOT NULL,
  slot     BIGINT NOT NULL, -- the number of the newest slot: the time by slot_ms
  oldest   BIGINT NOT NULL, -- before it there is nothing that counts
  counts   INTEGER[] NOT NULL, -- that of the newest slot first: 61, as the oldest may count still in its last part
  used     BIGINT NOT NULL, -- their sum
  wanted   BIGINT NOT NULL, -- of those who came last: how many uses,
  most     BIGINT NOT NULL, -- how many there may be in all,
  free     BIGINT NOT NULL, -- how many there could be for them,
  reset_ms BIGINT NOT NULL -- and how long until there is one more
) WITH (fillfactor = 50);
