-- A key that is bound may name only these channels; once the last of them is deleted, none at all.
ALTER TABLE api_key ADD COLUMN bound INTEGER NOT NULL DEFAULT 0 CHECK (bound IN (0, 1));
CREATE TABLE key_channel (
  key_id     TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  channel_id INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
  PRIMARY KEY (key_id, channel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_channel_by_channel ON key_channel (channel_id);
