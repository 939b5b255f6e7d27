-- A node that has much is evicted a part at a time. `is_evicted`: that has begun, so it gets no lease any more.
ALTER TABLE node ADD COLUMN is_evicted BOOLEAN NOT NULL DEFAULT false;
DROP FUNCTION IF EXISTS bury_overdue(BOOLEAN);
DROP FUNCTION IF EXISTS bury_node(BIGINT);
DROP FUNCTION IF EXISTS leave_node(BIGINT);

-- They take the requests by which claims were made, too.
DROP FUNCTION IF EXISTS settle_claims(JSON, JSON, BIGINT[], BIGINT, BIGINT, BIGINT);
DROP FUNCTION IF EXISTS settle_again(JSON, JSON, BIGINT[], BIGINT, BIGINT, BIGINT);
DROP FUNCTION IF EXISTS release_claims(BIGINT[], BIGINT);

-- Functions: 57b74b7ecb8e6355
