-- What its provider said of a device's present address. `accepted_at`: when it first took a push; NULL: never. `refused_at` and
-- `refused_reason`: since when it refuses them, in words that may as well speak of our configuration; NULL: it does not.
ALTER TABLE device ADD COLUMN accepted_at INTEGER;
ALTER TABLE device ADD COLUMN refused_at INTEGER;
ALTER TABLE device ADD COLUMN refused_reason TEXT;
CREATE INDEX device_refused ON device (route, refused_reason, refused_at, accepted_at) WHERE refused_at IS NOT NULL;

-- An address that has changed since is taken for a good one, which errs on the side of keeping the device.
UPDATE device SET accepted_at = taken.at
FROM (SELECT device_id, min(at) AS at FROM delivery WHERE state = 'accepted' GROUP BY device_id) AS taken
WHERE taken.device_id = device.id;
