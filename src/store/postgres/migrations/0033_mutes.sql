-- What a person has muted of a channel on one device. `min_level`: the place of the lowest level that is sent among LEVELS
-- (src/push.ts); 0: all are. `muted_until`: by the wall clock, as people mean it; 0, or a time that has passed: not muted.
ALTER TABLE subscription
  ADD COLUMN min_level INTEGER NOT NULL DEFAULT 0 CHECK (min_level BETWEEN 0 AND 3),
  ADD COLUMN muted_until BIGINT NOT NULL DEFAULT 0;

-- It returns more now.
DROP FUNCTION IF EXISTS read_parts(JSON);
