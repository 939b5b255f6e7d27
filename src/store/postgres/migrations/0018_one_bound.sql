-- As long as any other question of the queue: one that waits for longer is asked again.
ALTER FUNCTION settle_claims(JSON, JSON, BIGINT[], BIGINT, BIGINT, BIGINT) RESET lock_timeout;
