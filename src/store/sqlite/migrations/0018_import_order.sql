-- Lines are registered roughly in the order of their tokens, so that one finds its place in the index of tokens near the one before.
-- They are sorted by a sample of an import's tokens, as they come.
CREATE TABLE import_sample (
  import_id INTEGER NOT NULL,
  address   TEXT NOT NULL, -- the platform, and the beginning of the token as it is stored
  PRIMARY KEY (import_id, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_line_next (
  import_id INTEGER NOT NULL,
  behind    TEXT NOT NULL, -- the last address of the sample that is not behind its own; '' where there is none
  line      INTEGER NOT NULL,
  device    TEXT NOT NULL, -- JSON; its channels are ids
  PRIMARY KEY (import_id, behind, line)
) STRICT, WITHOUT ROWID;
INSERT INTO import_line_next SELECT import_id, '', line, device FROM import_line;
DROP TABLE import_line;
ALTER TABLE import_line_next RENAME TO import_line;
