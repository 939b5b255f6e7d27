-- What idempotency keys are kept as (handlers/events/replays.ts): one that was posted with an API key which is bound to channels lives in its
-- channel, any other in the workspace. NULL: there is no such channel.
CREATE OR REPLACE FUNCTION scoped_keys(workspace_ids BIGINT[], bound_key_ids TEXT[], channels TEXT[], senders INTEGER[], keys TEXT[]) RETURNS TEXT[]
LANGUAGE sql STABLE STRICT SET enable_seqscan = off AS $$
  SELECT array_agg(CASE
    WHEN bound_key_ids[posted.sender] IS NOT NULL THEN E'\x01' || channel.id || E'\x01' || posted.key
    WHEN starts_with(posted.key, E'\x01') THEN E'\x01' || posted.key
    ELSE posted.key
  END ORDER BY posted.nth)
  FROM unnest(senders, keys) WITH ORDINALITY AS posted(sender, key, nth)
  LEFT JOIN LATERAL (
    SELECT id FROM channel
    WHERE bound_key_ids[posted.sender] IS NOT NULL AND workspace_id = workspace_ids[posted.sender] AND slug = channels[posted.sender] OFFSET 0
  ) AS channel ON true
$$;
