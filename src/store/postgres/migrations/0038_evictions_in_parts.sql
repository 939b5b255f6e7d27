-- A node that has much is evicted a part at a time. `is_evicted`: that has begun, so it gets no lease any more.
ALTER TABLE node ADD COLUMN is_evicted BOOLEAN NOT NULL DEFAULT false;
DROP FUNCTION IF EXISTS bury_overdue(BOOLEAN);
DROP FUNCTION IF EXISTS bury_node(BIGINT);
DROP FUNCTION IF EXISTS leave_node(BIGINT);

-- Functions: 29acfbb075f787c7
