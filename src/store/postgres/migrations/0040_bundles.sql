-- The last bundle in a channel is asked for at each round of the channels whose alerts may be shown there, and most of what is sent
-- of alerts is of one alone.
DROP INDEX event_of_alerts;
CREATE INDEX event_of_bundles ON event (channel_id, id) WHERE kind IN ('reminder', 'notice') AND alert LIKE '%"open":%';

-- Functions: 57b74b7ecb8e6355
