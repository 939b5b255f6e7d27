-- The key pair by which the push services of browsers know this installation (RFC 8292), in base64url. Each subscription of a browser is
-- bound to it, so there is one for ever, made when it is first needed.
CREATE TABLE vapid_key (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  public_key  TEXT NOT NULL,
  private_key TEXT NOT NULL,
  made_at     INTEGER NOT NULL
) STRICT;
