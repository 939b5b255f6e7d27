-- `id` NULL: a fan-out of which nothing is left to claim. All NULL: something was locked, so it is not known what is left.
-- `is_last`: no part behind it is claimed of its fan-out now; `is_end`: nor is there any.
CREATE TYPE claimed_part AS (
  id BIGINT, event_id BIGINT, channel_id BIGINT, home BIGINT, from_number BIGINT, to_number BIGINT, size BIGINT, is_last BOOLEAN, is_end BOOLEAN
);
