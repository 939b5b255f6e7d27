-- People who are signed in. A session ends at expires_at, which moves on while it is used.
CREATE TABLE session (
  token_hash   BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  user_id      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  user_agent   TEXT,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (user_id, created_at);
CREATE INDEX session_by_expiry ON session (expires_at);

-- Who changed what, when, and from where. Names, not ids: an entry outlives what it tells of.
CREATE TABLE audit (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('operator', 'user')),
  actor      TEXT NOT NULL, -- the operator's account, or the user's email
  address    TEXT, -- NULL: on the server itself
  action     TEXT NOT NULL, -- key.revoke
  workspace  TEXT, -- its slug; NULL: of no single workspace
  object     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_workspace ON audit (workspace, id);
