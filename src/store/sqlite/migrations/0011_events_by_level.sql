-- For lists of one level: errors may be few among millions.
CREATE INDEX event_by_level ON event (channel_id, level, id);
