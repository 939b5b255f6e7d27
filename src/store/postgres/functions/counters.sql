-- Counters whose rows move to another place of their index every second (`slot`). While an old transaction is open,
-- lookups read only the newest slot's versions, however many there were before.
CREATE OR REPLACE FUNCTION slot_of(wall_ms BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$ SELECT wall_ms / 1000 $$;

-- Counts events of a workspace. If another transaction has moved the row meanwhile, looks again.
CREATE OR REPLACE FUNCTION count_usage(of_workspace BIGINT, of_month TEXT, of_node BIGINT, many BIGINT, wall_ms BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    UPDATE usage_of_node SET events = events + many, slot = slot_of(wall_ms)
    WHERE workspace_id = of_workspace AND month = of_month AND node_id = of_node AND slot = newest_slot(of_workspace, of_month, of_node);
    EXIT WHEN FOUND;
    PERFORM begin_usage(of_workspace, of_month, of_node);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION newest_slot(of_workspace BIGINT, of_month TEXT, of_node BIGINT) RETURNS BIGINT LANGUAGE sql STABLE AS $$
  SELECT slot FROM usage_of_node WHERE workspace_id = of_workspace AND month = of_month AND node_id = of_node
  ORDER BY slot DESC LIMIT 1
$$;

-- Adds the row of a counter that has none. All begin in the same slot: one of them wins.
CREATE OR REPLACE FUNCTION begin_usage(of_workspace BIGINT, of_month TEXT, of_node BIGINT) RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO usage_of_node (workspace_id, month, node_id, slot, events)
  SELECT of_workspace, of_month, of_node, 0, 0 WHERE newest_slot(of_workspace, of_month, of_node) IS NULL
  ON CONFLICT DO NOTHING
$$;

-- Returns a workspace's usage: the newest row of each node, one seek each.
CREATE OR REPLACE FUNCTION usage_in(of_workspace BIGINT, of_month TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
  head RECORD;
  events BIGINT := 0;
  below BIGINT := 9223372036854775807;
BEGIN
  LOOP
    SELECT * INTO head FROM usage_of_node AS u WHERE workspace_id = of_workspace AND month = of_month AND node_id < below
    ORDER BY node_id DESC, slot DESC LIMIT 1;
    EXIT WHEN NOT FOUND;
    events := events + head.events;
    below := head.node_id;
  END LOOP;
  RETURN events;
END $$;

-- Adds to an hourly counter. If another transaction has moved the row meanwhile, or there is none, adds to the row of slot
-- 0: readers add both. Only one row of a counter leaves slot 0, so no row moves to the place of another.
CREATE OR REPLACE FUNCTION count_tally(
  of_workspace BIGINT, of_channel BIGINT, of_route TEXT, of_measure TEXT, of_reason TEXT, of_node BIGINT, many BIGINT, wall_ms BIGINT
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  this_hour CONSTANT BIGINT := wall_ms - wall_ms % 3600000;
BEGIN
  UPDATE tally SET count = count + many, slot = slot_of(wall_ms)
  WHERE hour = this_hour AND workspace_id = of_workspace AND channel_id = of_channel AND route = of_route AND measure = of_measure
    AND reason = of_reason AND node_id = of_node AND slot = (
      SELECT slot FROM tally WHERE hour = this_hour AND workspace_id = of_workspace AND channel_id = of_channel AND route = of_route
        AND measure = of_measure AND reason = of_reason AND node_id = of_node
      ORDER BY slot DESC LIMIT 1
    );
  IF FOUND THEN RETURN; END IF;
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, node_id, slot, count)
  VALUES (this_hour, of_workspace, of_channel, of_route, of_measure, of_reason, of_node, 0, many)
  ON CONFLICT (hour, workspace_id, channel_id, route, measure, reason, node_id, slot) DO UPDATE SET count = tally.count + excluded.count;
END $$;
