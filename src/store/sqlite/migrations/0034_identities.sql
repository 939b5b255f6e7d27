-- Who a person is at the operator's provider of sign-ins (OpenID Connect). `subject`: the name that the issuer has for one account, and
-- gives to no other. A person has one of each issuer, so that nobody comes to them by an address that changed hands.
CREATE TABLE identity (
  issuer    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  user_id   INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX identity_of_person ON identity (user_id, issuer);

-- Whether it shows that its person is there now: not a code of a provider that let in who had signed in there before.
ALTER TABLE pairing_code ADD COLUMN is_proof INTEGER NOT NULL DEFAULT 1 CHECK (is_proof IN (0, 1));
