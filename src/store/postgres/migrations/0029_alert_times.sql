-- As in SQLite (0033_alert_times.sql). When the times of an alert were set, by the clock of the queue: none of them is later than its own length
-- after that. NULL: not known. And `due_at` is there until a round has seen that the alert has ended.
ALTER TABLE alert ADD COLUMN set_at BIGINT;
CREATE INDEX alert_set ON alert (set_at) WHERE due_at IS NOT NULL;

-- As before, with both.
CREATE OR REPLACE FUNCTION meet_alert(of_event BIGINT, wall_ms BIGINT, steady_ms BIGINT) RETURNS VOID LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
DECLARE
  met RECORD;
  its RECORD;
BEGIN
  SELECT event.id, event.workspace_id, event.channel_id, event.level, event.urgency, event.collapse_key, event.expires_in,
    event.quiet IS NOT NULL AS is_quiet, channel.insist_repeat, channel.insist_until, channel.escalate_after, channel.escalate_to
  INTO met FROM event JOIN channel ON channel.id = event.channel_id WHERE event.id = of_event AND channel.insist_repeat IS NOT NULL;
  IF met.id IS NULL THEN RETURN; END IF;
  IF met.level = 'success' THEN
    UPDATE alert SET state = 'resolved', snoozed_until = NULL, ended_kind = 'sender', ended_at = wall_ms, due_at = steady_ms
    WHERE channel_id = met.channel_id AND collapse_key = met.collapse_key AND collapse_key IS NOT NULL AND state IN ('open', 'acknowledged')
    RETURNING event_id, state, reminders INTO its;
    IF its.event_id IS NULL THEN RETURN; END IF;
    -- No mark of a cancellation: those are told in the order of the changes, and this is none.
    UPDATE event SET expires_at = 0
    WHERE alert_id = its.event_id AND expires_at > 0 AND targeted > accepted + failed + unregistered + expired + withdrawn;
  ELSIF met.urgency = 'time_sensitive' THEN
    UPDATE alert SET state = CASE state WHEN 'open' THEN 'expired' ELSE 'resolved' END, due_at = steady_ms, ended_kind = 'time',
      ended_at = wall_ms
    WHERE channel_id = met.channel_id AND collapse_key = met.collapse_key AND collapse_key IS NOT NULL AND state IN ('open', 'acknowledged')
      AND CASE WHEN state = 'open' THEN stops_at <= steady_ms ELSE snoozed_until IS NULL AND due_at <= steady_ms END;
    INSERT INTO alert (event_id, workspace_id, channel_id, collapse_key, state, newest_event_id, opened_at, stops_at, escalate_at, due_at,
      set_at)
    SELECT met.id, met.workspace_id, met.channel_id, met.collapse_key, 'open', met.id, wall_ms, stop.at, next.at, least(stop.at, next.at),
      steady_ms
    FROM (SELECT steady_ms + 1000 * least(met.insist_until, met.expires_in) AS at) AS stop,
      (SELECT steady_ms + CASE WHEN met.escalate_to IS NOT NULL THEN 1000 * met.escalate_after END AS at) AS next
    ON CONFLICT (channel_id, collapse_key) WHERE collapse_key IS NOT NULL AND state IN ('open', 'acknowledged') DO UPDATE SET
      newest_event_id = greatest(alert.newest_event_id, excluded.newest_event_id),
      due_at = CASE WHEN alert.state = 'acknowledged' AND alert.snoozed_until IS NULL THEN steady_ms + 28800000 ELSE alert.due_at END,
      set_at = CASE WHEN alert.state = 'acknowledged' AND alert.snoozed_until IS NULL THEN steady_ms ELSE alert.set_at END
    RETURNING event_id, state, reminders INTO its;
    IF its.event_id = met.id THEN
      INSERT INTO insisting (channel_id, next_at, repeat_ms) VALUES (met.channel_id, steady_ms + 1000 * met.insist_repeat, 1000 * met.insist_repeat)
      ON CONFLICT (channel_id) DO UPDATE SET next_at = excluded.next_at, repeat_ms = excluded.repeat_ms
      WHERE NOT EXISTS (
        SELECT 1 FROM alert AS other WHERE other.channel_id = met.channel_id AND other.state = 'open' AND other.event_id <> met.id
      );
    END IF;
  ELSE
    RETURN;
  END IF;
  UPDATE event SET alert_id = its.event_id, alert = json_build_object(
    'alert', (SELECT encode(uuid, 'hex') FROM event AS opening WHERE opening.id = its.event_id),
    'state', its.state, 'reminder', CASE its.state WHEN 'resolved' THEN its.reminders ELSE 0 END,
    'quiet', met.is_quiet OR its.state = 'acknowledged'
  )::text
  WHERE id = met.id;
END $$;

DROP INDEX event_is_cancelled;
CREATE INDEX event_is_taken_back ON event (id) WHERE expires_at = 0;

-- As before; what is found at once is what was taken back, with a mark of its cancellation or, as its sender has ended the alert, without. The
-- next events that something waits of and whose time was over when that began to wait, in the order of their times, behind one of them.
-- `is_over`: none of it is sent any more now.
CREATE OR REPLACE FUNCTION overdue_events(after_time BIGINT, after_event BIGINT, most BIGINT, steady_ms BIGINT)
RETURNS TABLE (id BIGINT, expires_at BIGINT, is_over BOOLEAN)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT waiting.event_id, waiting.expires_at, event.expires_at <= steady_ms AND NOT EXISTS (
    SELECT 1 FROM set_aside WHERE set_aside.event_id = waiting.event_id
  )
  FROM (
    (SELECT f.event_id, f.expires_at FROM fan_out AS f
      WHERE f.expires_at <= steady_ms AND (f.expires_at, f.event_id) > (after_time, after_event)
      ORDER BY f.expires_at, f.event_id LIMIT most)
    UNION
    (SELECT d.event_id, d.expires_at FROM delivery AS d
      WHERE d.state = 'pending' AND d.expires_at <= steady_ms AND (d.expires_at, d.event_id) > (after_time, after_event)
      ORDER BY d.expires_at, d.event_id LIMIT most)
    UNION
    (SELECT e.id, 0 FROM event AS e
      WHERE e.expires_at = 0 AND after_time <= 0 AND e.id > CASE WHEN after_time < 0 THEN 0 ELSE after_event END
        AND e.targeted > e.accepted + e.failed + e.unregistered + e.expired + e.withdrawn
      ORDER BY e.id LIMIT most)
    ORDER BY expires_at, event_id LIMIT most
  ) AS waiting
  CROSS JOIN LATERAL (SELECT * FROM event AS e WHERE e.id = waiting.event_id OFFSET 0) AS event
  ORDER BY waiting.expires_at, waiting.event_id;
END $$;
