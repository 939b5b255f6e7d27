-- Passkeys of people (WebAuthn): what a signature of theirs is checked by. `id`: SHA-256 of the credential's id. `rp_id`: the host that it
-- is for. `counter`: how often it was used, as far as it counts.
CREATE TABLE passkey (
  id           BYTEA PRIMARY KEY CHECK (length(id) = 32),
  user_id      BIGINT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  credential   BYTEA NOT NULL,
  public_key   BYTEA NOT NULL,
  counter      BIGINT NOT NULL,
  rp_id        TEXT COLLATE "C" NOT NULL,
  name         TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE INDEX passkey_by_user ON passkey (user_id, created_at);

-- Challenges that a passkey has answered, until they would have ended by themselves: none counts twice.
CREATE TABLE spent_challenge (
  hash       BYTEA PRIMARY KEY CHECK (length(hash) = 32),
  expires_at BIGINT NOT NULL
);
CREATE INDEX spent_challenge_by_expiry ON spent_challenge (expires_at);

-- What a passkey is vouched for, as the others of that table.
ALTER TABLE voucher ADD COLUMN passkey BYTEA REFERENCES passkey (id) ON DELETE CASCADE;
CREATE INDEX voucher_of_passkey ON voucher (passkey) WHERE passkey IS NOT NULL;
