-- When an operator took the event back. Nothing of it is sent any more, and its life is over: expires_at is 0.
ALTER TABLE event ADD COLUMN cancelled_at INTEGER;

-- What waits of one event, however many of its deliveries have ended.
CREATE INDEX delivery_waiting ON delivery (event_id, device_id) WHERE state = 'pending';
