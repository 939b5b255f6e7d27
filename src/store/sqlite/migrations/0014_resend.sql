-- Events of which the pushes that failed or expired are sent anew. They come back into the queue in small steps, also after a
-- crash: first those that have a delivery, by device, then those that expired before their first try, by subscription.
CREATE TABLE resend (
  event_id INTEGER PRIMARY KEY,
  stage    TEXT NOT NULL, -- tried, then the routes one by one, then done
  cursor   INTEGER NOT NULL DEFAULT 0, -- the last device or subscription that was looked at
  resent   INTEGER NOT NULL DEFAULT 0, -- pushes
  at       INTEGER NOT NULL
) STRICT;
CREATE INDEX resend_unfinished ON resend (event_id) WHERE stage <> 'done';
