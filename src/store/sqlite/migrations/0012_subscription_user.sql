-- Whose device it is, so that what a person listens on is found without a look at all of that person's devices. Repeats the
-- device's, which never changes.
ALTER TABLE subscription ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0;
UPDATE subscription SET user_id = (SELECT user_id FROM device WHERE device.id = device_id);
CREATE INDEX subscription_by_user ON subscription (user_id, channel_id, device_id);
