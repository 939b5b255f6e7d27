-- How much waits, as changes that are summed when they are read: whoever adds one waits for nobody, and what a look costs does not grow with
-- what waits. `waiting`: targets of fan-outs without a delivery; `deferred`: deliveries that are pending. `tend_queue` makes few rows of many.
CREATE TABLE queue_change (
  route    TEXT COLLATE "C" NOT NULL,
  lane     TEXT COLLATE "C" NOT NULL,
  waiting  BIGINT NOT NULL,
  deferred BIGINT NOT NULL
);

-- No fan-out of the lane has anything left to claim whose event's id is below `event_id`. Claims begin there: behind it may be very many that
-- are done and that the database cannot forget while somebody, such as pg_dump, still sees what was before. `next`: what it may be raised
-- to, once nobody is left who was at work when that was looked up.
CREATE TABLE queue_floor (
  route    TEXT COLLATE "C" NOT NULL,
  lane     TEXT COLLATE "C" NOT NULL,
  event_id BIGINT NOT NULL,
  next     BIGINT NOT NULL,
  next_at  BIGINT NOT NULL,
  next_xid XID8 NOT NULL,
  PRIMARY KEY (route, lane)
) WITH (fillfactor = 50);
