-- Routes on which an operator lets nothing out, until they are resumed.
CREATE TABLE route_pause (
  route TEXT PRIMARY KEY,
  at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
