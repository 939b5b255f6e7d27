-- Whether something is left to claim of it, in a column of its own: by a condition on how far it is claimed, each page that is claimed of an event
-- for many devices would go into all indexes of the table. Only its last does so now.
ALTER TABLE fan_out ADD COLUMN is_open BOOLEAN NOT NULL DEFAULT true;
UPDATE fan_out SET is_open = false WHERE claimed_to >= last;
ALTER TABLE fan_out ADD CONSTRAINT fan_out_is_open CHECK (is_open = (claimed_to < last));
DROP INDEX fan_out_open;
CREATE INDEX fan_out_open ON fan_out (route, lane, home, workspace_id, event_id) WHERE is_open;

-- Functions: e04738733ef7f1af
