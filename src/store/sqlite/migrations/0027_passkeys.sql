-- Passkeys of people (WebAuthn): what a signature of theirs is checked by. `id`: SHA-256 of the credential's id. `rp_id`: the host that it
-- is for. `counter`: how often it was used, as far as it counts.
CREATE TABLE passkey (
  id           BLOB PRIMARY KEY CHECK (length(id) = 32),
  user_id      INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  credential   BLOB NOT NULL,
  public_key   BLOB NOT NULL,
  counter      INTEGER NOT NULL,
  rp_id        TEXT NOT NULL,
  name         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkey_by_user ON passkey (user_id, created_at);

-- Challenges that a passkey has answered, until they would have ended by themselves: none counts twice.
CREATE TABLE spent_challenge (
  hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_challenge_by_expiry ON spent_challenge (expires_at);

-- What a passkey is vouched for, as the others of that table.
ALTER TABLE voucher ADD COLUMN passkey BLOB REFERENCES passkey (id) ON DELETE CASCADE;
CREATE INDEX voucher_of_passkey ON voucher (passkey) WHERE passkey IS NOT NULL;
