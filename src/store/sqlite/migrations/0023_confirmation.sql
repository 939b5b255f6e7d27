-- When the person last proved who they are, by a password or a code; NULL: this session is never asked.
ALTER TABLE session ADD COLUMN confirmed_at INTEGER;
-- Whether a code proves who its user is: not where a session made it for its own user that would have been asked itself.
ALTER TABLE pairing_code ADD COLUMN confirms INTEGER NOT NULL DEFAULT 1 CHECK (confirms IN (0, 1));
