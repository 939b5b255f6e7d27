-- Where all of this was moved, and when. While it says so, nobody serves this database: another is served in its place.
CREATE TABLE moved (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  place TEXT NOT NULL,
  at    INTEGER NOT NULL
) STRICT;
