ALTER TABLE event ADD COLUMN collapse_key TEXT;
ALTER TABLE event ADD COLUMN expires_in INTEGER; -- seconds, as it was posted; NULL: the operator's time to live

-- Events of which something waits to be sent, in the order in which they expire. That is not the order in which they came.
CREATE INDEX event_unfinished ON event (expires_at, id, expires_in)
  WHERE targeted > accepted + failed + unregistered + expired + withdrawn;
