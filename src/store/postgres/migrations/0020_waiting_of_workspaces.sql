-- What waits is counted for each workspace, so that telling how much of one waits reads nothing of it. As the counts were kept by triggers
-- (0016), nobody changes what is counted meanwhile.
LOCK TABLE fan_out, fan_out_progress, delivery IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM queue_change;
-- 0: of none. Each lane that was ever used has a row of that, also while nothing waits in it.
ALTER TABLE queue_change ADD COLUMN workspace_id BIGINT NOT NULL;
INSERT INTO queue_change (route, lane, workspace_id, waiting, deferred)
SELECT route, lane, workspace_id, sum(waiting), sum(deferred) FROM (
  SELECT route, lane, workspace_id, targeted AS waiting, 0 AS deferred FROM fan_out
  UNION ALL
  SELECT f.route, f.lane, f.workspace_id, -p.recorded, 0
  FROM fan_out_progress AS p JOIN fan_out AS f ON f.event_id = p.event_id AND f.route = p.route
  UNION ALL
  SELECT route, lane, workspace_id, 0, 1 FROM delivery WHERE state = 'pending'
) AS each
GROUP BY route, lane, workspace_id;

-- It returns something now.
DROP FUNCTION IF EXISTS tend_queue(BIGINT);
