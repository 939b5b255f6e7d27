-- `life`: how long a key was to live when it was issued, in ms, so that its successor is given as long; NULL: for good. Its
-- end alone does not tell: rotation brings that forward. `successor`: the key that took its place.
ALTER TABLE api_key ADD COLUMN life INTEGER;
ALTER TABLE api_key ADD COLUMN successor TEXT;
UPDATE api_key SET life = expires_at - created_at;
