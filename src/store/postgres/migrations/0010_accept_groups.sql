-- How many active devices of a channel a sender's event reaches on a route.
CREATE TYPE reached_route AS (sender INTEGER, route TEXT, devices BIGINT);

DROP FUNCTION IF EXISTS accept_events(JSON, BIGINT, BIGINT, BIGINT, TEXT[], BIGINT[], TEXT[], BIGINT[], BIGINT[]);
