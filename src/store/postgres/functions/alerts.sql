-- Returns an alert's reminders; while open, plus its channel's. Same rule: handlers/alerts/alert-rows.ts.
CREATE OR REPLACE FUNCTION kept_reminders(changed alert) RETURNS BIGINT LANGUAGE sql STABLE AS $$
  SELECT changed.reminders + CASE changed.state WHEN 'open' THEN coalesce((
    SELECT channel.reminders - changed.reminders_from FROM channel WHERE channel.id = changed.channel_id
  ), 0) ELSE 0 END
$$;
CREATE OR REPLACE FUNCTION kept_reminded_at(changed alert) RETURNS BIGINT LANGUAGE sql STABLE AS $$
  SELECT CASE changed.state WHEN 'open' THEN coalesce((
    SELECT channel.reminded_at FROM channel WHERE channel.id = changed.channel_id AND channel.reminders > changed.reminders_from
  ), changed.reminded_at) ELSE changed.reminded_at END
$$;

-- Tells whether a window covers a stored collapse key. Same rule: `isCoveredBy` (contract/loudness.ts).
CREATE OR REPLACE FUNCTION window_covers(only_key TEXT, stored_key TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE AS $$
  SELECT only_key IS NULL OR CASE WHEN right(only_key, 1) = '*'
    THEN starts_with(regexp_replace(stored_key, E'^\x01', ''), left(only_key, -1))
    ELSE regexp_replace(stored_key, E'^\x01', '') = only_key
  END
$$;

-- Moves waiting bundles of a taken or ended alert to its channel's newest open one. Same rule:
-- handlers/alerts/bundles.ts, with `IS_HELD` of handlers/maintenance/rows.ts.
CREATE OR REPLACE FUNCTION keep_bundles(of_channel BIGINT, of_alert BIGINT, last_event BIGINT, wall_ms BIGINT) RETURNS VOID LANGUAGE sql
SET enable_seqscan = off
AS $$
  UPDATE event SET alert_id = coalesce((
    SELECT other.event_id FROM alert AS other
    WHERE (other.channel_id, other.event_id) >= (of_channel, 0::BIGINT) AND other.channel_id = of_channel
      AND (other.channel_id, other.event_id) <= (of_channel, 9007199254740991) AND other.state = 'open' AND other.assigned_until IS NULL
      AND other.event_id <> of_alert AND NOT EXISTS (
        SELECT 1 FROM maintenance
        WHERE maintenance.channel_id = of_channel AND from_at <= wall_ms AND window_covers(only_key, other.collapse_key)
      )
    ORDER BY other.channel_id DESC, other.event_id DESC LIMIT 1
  ), alert_id)
  WHERE id IN (
    SELECT id FROM event WHERE alert_id = of_alert AND id + 0 <= last_event AND kind = 'reminder' AND alert LIKE '%"open":%'
      AND cancelled_at IS NULL AND targeted > accepted + failed + unregistered + expired + withdrawn
    LIMIT 20
  )
$$;

-- Applies pending marks to the alert that an event with this key would join. Same rules: handlers/alerts/marks.ts.
CREATE OR REPLACE FUNCTION follow_marks(of_channel BIGINT, of_key TEXT) RETURNS VOID LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
DECLARE
  living RECORD;
  decision RECORD;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM alert_mark WHERE channel_id = of_channel) THEN RETURN; END IF;
  LOOP
    SELECT event_id, state, mark, act INTO living FROM alert
    WHERE channel_id = of_channel AND collapse_key = of_key AND collapse_key IS NOT NULL AND state IN ('open', 'acknowledged');
    EXIT WHEN living.event_id IS NULL;
    SELECT * INTO decision FROM alert_mark
    WHERE channel_id = of_channel AND number > living.mark AND living.event_id BETWEEN from_alert AND to_alert
      AND CASE alert_mark.state WHEN 'open' THEN undoes = living.act AND living.state = 'acknowledged' WHEN 'acknowledged' THEN living.state = 'open' ELSE true END
    ORDER BY number LIMIT 1;
    EXIT WHEN decision.number IS NULL;
    IF decision.state = 'open' THEN
      UPDATE escalation SET widen_at = widen_at + decision.set_at - (SELECT acted_at FROM alert WHERE alert.event_id = escalation.event_id)
      WHERE event_id = living.event_id AND widen_at IS NOT NULL;
      UPDATE alert SET state = 'open', holder = NULL, acknowledged_by = NULL, acknowledged_at = NULL, snoozed_until = NULL,
        stops_at = stops_at + decision.set_at - acted_at, escalate_at = before_at + decision.set_at - acted_at,
        due_at = least(stops_at, before_at) + decision.set_at - acted_at, set_at = decision.set_at, mark = decision.number,
        widen_at = widen_at + decision.set_at - acted_at,
        reminders_from = coalesce((SELECT channel.reminders FROM channel WHERE channel.id = alert.channel_id), 0),
        reopened_by = decision.name, reopener = decision.actor, reopened_at = decision.at, act = 0, acted_by = NULL, acted_at = NULL,
        before_state = NULL, before_at = NULL, before_snoozed_by = NULL, before_snoozer = NULL
      WHERE event_id = living.event_id AND act = decision.undoes AND state = 'acknowledged';
      CONTINUE;
    END IF;
    IF decision.from_alert = decision.to_alert THEN
      PERFORM keep_bundles(of_channel, living.event_id, decision.last_event, decision.at);
    END IF;
    UPDATE event SET cancelled_at = decision.at, expires_at = 0 WHERE id IN (
      SELECT id FROM event WHERE alert_id = living.event_id AND id + 0 <= decision.last_event AND cancelled_at IS NULL
        AND targeted > accepted + failed + unregistered + expired + withdrawn
      LIMIT 50
    );
    IF decision.state = 'acknowledged' THEN
      UPDATE alert SET state = 'acknowledged', holder = decision.actor, acknowledged_by = decision.name, acknowledged_at = decision.at,
        snoozed_until = decision.snoozed_until, snoozed_by = decision.name, snoozer = decision.actor, escalate_at = NULL, due_at = coalesce(decision.snoozed_until, decision.set_at + 28800000),
        set_at = decision.set_at, mark = decision.number, reminders = kept_reminders(alert), reminded_at = kept_reminded_at(alert),
        assigned_until = NULL, act = CASE WHEN decision.from_alert < decision.to_alert THEN decision.number ELSE 0 END, acted_by = decision.actor, acted_at = decision.set_at, before_state = 'open',
        before_at = escalate_at, before_snoozed_by = NULL, before_snoozer = NULL
      WHERE event_id = living.event_id AND mark < decision.number AND state = 'open';
    ELSE
      UPDATE alert SET state = decision.state, due_at = decision.set_at, escalate_at = NULL, snoozed_until = NULL, ended_kind = decision.kind,
        ended_by = decision.name, ender = decision.actor, ended_at = decision.at, mark = decision.number, reminders = kept_reminders(alert), reminded_at = kept_reminded_at(alert),
        assigned_until = NULL, act = CASE WHEN decision.from_alert < decision.to_alert THEN decision.number ELSE 0 END, acted_by = decision.actor, acted_at = decision.set_at,
        before_state = CASE WHEN snoozed_until IS NULL THEN state ELSE 'snoozed' END,
        before_at = CASE state WHEN 'open' THEN escalate_at ELSE due_at END, before_snoozed_by = snoozed_by, before_snoozer = snoozer
      WHERE event_id = living.event_id AND mark < decision.number AND state IN ('open', 'acknowledged');
    END IF;
  END LOOP;
END $$;

-- Updates the alerts of an insistent channel: an event opens or joins one; `success` resolves it. Same rules:
-- sqlite/alerts.ts. Of two simultaneous events with one key, the second waits and joins. Other reached channels are
-- notified in the next round. `sounds`: the stored decisions per possible alert, and the person on call
-- (handlers/sounds.ts). Returns whether the alert is left because the key may not resolve it.
CREATE OR REPLACE FUNCTION update_alert(of_event BIGINT, wall_ms BIGINT, steady_ms BIGINT, sounds JSON, served_routes TEXT[])
RETURNS BOOLEAN LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
DECLARE
  posted RECORD;
  changed_alert RECORD;
  ended_events BIGINT;
  left_mark BIGINT;
  quietly JSON;
  person BIGINT := (sounds->>'onCall')::bigint;
  met TEXT;
  reachable BOOLEAN;
  widens_at BIGINT;
BEGIN
  SELECT event.id, event.workspace_id, event.channel_id, event.level, event.urgency, event.collapse_key, event.expires_in,
    channel.insist_repeat, channel.insist_until, coalesce(channel.ring_after, 0) AS ring_after, channel.escalate_after, channel.escalate_to,
    channel.widen_after, event.posted_by, channel.reminders
  INTO posted FROM event JOIN channel ON channel.id = event.channel_id WHERE event.id = of_event AND channel.insist_repeat IS NOT NULL;
  IF posted.id IS NULL THEN RETURN false; END IF;
  PERFORM follow_marks(posted.channel_id, posted.collapse_key);
  IF posted.level = 'success' THEN
    UPDATE alert SET state = 'resolved', snoozed_until = NULL, ended_kind = 'sender', ended_at = wall_ms, due_at = steady_ms,
      assigned_until = NULL, act = 0, acted_by = NULL,
      reminders = kept_reminders(alert), reminded_at = kept_reminded_at(alert)
    WHERE channel_id = posted.channel_id AND collapse_key = posted.collapse_key AND collapse_key IS NOT NULL AND state IN ('open', 'acknowledged')
      AND (posted.posted_by IS NULL OR posted_by = posted.posted_by OR EXISTS (
        SELECT 1 FROM api_key WHERE origin = posted.posted_by AND ' ' || scopes || ' ' LIKE '% alerts:write %'
      ))
    RETURNING event_id, state, reminders, NULL AS has_it, NULL::bigint AS widen_at, (SELECT level FROM event WHERE event.id = newest_event_id) AS heard_as
    INTO changed_alert;
    IF changed_alert.event_id IS NULL THEN
      RETURN EXISTS (
        SELECT 1 FROM alert WHERE channel_id = posted.channel_id AND collapse_key = posted.collapse_key AND state IN ('open', 'acknowledged')
      );
    END IF;
    PERFORM keep_bundles(posted.channel_id, changed_alert.event_id, posted.id - 1, wall_ms);
    -- Does not mark the events as cancelled: cancellations are reported in the order of the changes, and this is not a
    -- change.
    UPDATE event SET expires_at = 0 WHERE id IN (
      SELECT id FROM event WHERE alert_id = changed_alert.event_id AND id + 0 < posted.id AND expires_at > 0
        AND targeted > accepted + failed + unregistered + expired + withdrawn
      LIMIT 50
    );
    GET DIAGNOSTICS ended_events = ROW_COUNT;
    IF ended_events = 50 THEN
      INSERT INTO alert_mark (workspace_id, channel_id, channel, from_alert, to_alert, last_event, state, kind, at, set_at, cursor)
      VALUES (posted.workspace_id, posted.channel_id, '', changed_alert.event_id, changed_alert.event_id, posted.id - 1, 'resolved', 'success',
        wall_ms, steady_ms, changed_alert.event_id)
      RETURNING number INTO left_mark;
      UPDATE alert SET mark = left_mark WHERE event_id = changed_alert.event_id;
    END IF;
  ELSIF posted.urgency = 'time_sensitive' THEN
    IF person IS NOT NULL THEN
      reachable := posted.ring_after > 0 OR is_reachable(person, posted.channel_id, posted.level, wall_ms, served_routes);
      widens_at := steady_ms + CASE WHEN reachable THEN 1000 * (posted.ring_after + posted.widen_after) ELSE 0 END;
    END IF;
    UPDATE alert SET state = CASE state WHEN 'open' THEN 'expired' ELSE 'resolved' END, due_at = steady_ms, ended_kind = 'time',
      ended_at = wall_ms, reminders = kept_reminders(alert), reminded_at = kept_reminded_at(alert), assigned_until = NULL, act = 0, acted_by = NULL
    WHERE channel_id = posted.channel_id AND collapse_key = posted.collapse_key AND collapse_key IS NOT NULL AND state IN ('open', 'acknowledged')
      AND CASE WHEN state = 'open' THEN stops_at <= steady_ms ELSE snoozed_until IS NULL AND due_at <= steady_ms END;
    INSERT INTO alert (event_id, workspace_id, channel_id, collapse_key, state, newest_event_id, opened_at, stops_at, escalate_at, due_at,
      set_at, posted_by, reminders_from, widen_at)
    SELECT posted.id, posted.workspace_id, posted.channel_id, posted.collapse_key, 'open', posted.id, wall_ms, stop.at, next.at,
      least(stop.at, next.at), steady_ms, posted.posted_by, posted.reminders, widens_at
    FROM (SELECT steady_ms + 1000 * least(posted.ring_after + posted.insist_until, posted.expires_in) AS at) AS stop,
      (SELECT steady_ms + CASE WHEN posted.escalate_to IS NOT NULL THEN 1000 * (posted.ring_after + posted.escalate_after) END AS at) AS next
    ON CONFLICT (channel_id, collapse_key) WHERE collapse_key IS NOT NULL AND state IN ('open', 'acknowledged') DO UPDATE SET
      newest_event_id = greatest(alert.newest_event_id, excluded.newest_event_id),
      posted_by = CASE WHEN alert.posted_by = excluded.posted_by THEN alert.posted_by END,
      due_at = CASE WHEN alert.state = 'acknowledged' AND alert.snoozed_until IS NULL THEN steady_ms + 28800000 ELSE alert.due_at END,
      set_at = CASE WHEN alert.state = 'acknowledged' AND alert.snoozed_until IS NULL THEN steady_ms ELSE alert.set_at END
    RETURNING event_id, state, reminders, CASE state WHEN 'acknowledged' THEN acknowledged_by END AS has_it, widen_at, NULL AS heard_as
    INTO changed_alert;
    IF changed_alert.event_id = posted.id THEN
      INSERT INTO insisting (channel_id, next_at, repeat_ms)
      VALUES (posted.channel_id, least(
          steady_ms + 1000 * CASE posted.ring_after WHEN 0 THEN posted.insist_repeat ELSE posted.ring_after END,
          CASE WHEN reachable THEN widens_at END
        ), 1000 * greatest(posted.ring_after, posted.insist_repeat))
      ON CONFLICT (channel_id) DO UPDATE SET next_at = excluded.next_at, repeat_ms = excluded.repeat_ms
      WHERE NOT EXISTS (
        SELECT 1 FROM alert AS other
        WHERE (other.channel_id, other.event_id) >= (posted.channel_id, 0::BIGINT) AND other.channel_id = posted.channel_id
          AND (other.channel_id, other.event_id) <= (posted.channel_id, 9007199254740991) AND other.state = 'open' AND other.event_id <> posted.id
        ORDER BY other.channel_id, other.event_id LIMIT 1
      ) OR (posted.ring_after > 0 OR reachable) AND insisting.next_at > excluded.next_at;
      -- The same: handlers/on-call/early-widening.ts.
      IF reachable THEN
        INSERT INTO watched_channel (channel_id, workspace_id, set_at) VALUES (posted.channel_id, posted.workspace_id, steady_ms)
        ON CONFLICT (channel_id) DO UPDATE SET set_at = excluded.set_at;
      END IF;
    END IF;
  ELSE
    RETURN false;
  END IF;
  met := CASE
    WHEN changed_alert.event_id = posted.id THEN 'opened'
    WHEN changed_alert.state = 'open' AND posted.ring_after > 0
      AND (SELECT kept_reminders(alert) FROM alert WHERE event_id = changed_alert.event_id) = 0 THEN 'waiting'
    ELSE changed_alert.state
  END;
  quietly := sounds->met;
  -- The person counts only while the alert rings for nobody else.
  IF reachable IS NOT NULL AND NOT (met = 'opened' AND posted.ring_after = 0 OR met = 'open' AND coalesce(
    changed_alert.widen_at > greatest(steady_ms, (SELECT wide_to FROM insisting WHERE channel_id = posted.channel_id)), false
  )) THEN
    reachable := NULL;
  END IF;
  IF changed_alert.has_it IS NOT NULL THEN
    quietly := (quietly::jsonb || jsonb_build_object('by', changed_alert.has_it))::json;
  END IF;
  UPDATE event SET alert_id = changed_alert.event_id, quiet = quietly::text, alert = json_strip_nulls(json_build_object(
    'alert', (SELECT encode(uuid, 'hex') FROM event AS opening WHERE opening.id = changed_alert.event_id),
    'state', changed_alert.state, 'reminder', CASE changed_alert.state WHEN 'resolved' THEN changed_alert.reminders ELSE 0 END,
    'by', changed_alert.has_it, 'heardAs', changed_alert.heard_as,
    'onCall', CASE WHEN reachable IS NOT NULL THEN (
      SELECT CASE WHEN name = email THEN split_part(email, '@', 1) ELSE name END FROM person AS named WHERE named.id = person
    ) END, 'isUnreachable', CASE WHEN NOT reachable THEN true END
  ))::text, on_call = CASE WHEN reachable THEN person END
  WHERE id = posted.id;
  RETURN false;
END $$;

CREATE OR REPLACE FUNCTION take_alert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM escalation WHERE event_id = old.id;
  DELETE FROM alert WHERE event_id = old.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER event_takes_its_alert AFTER DELETE ON event
  FOR EACH ROW WHEN (old.alert_id = old.id) EXECUTE FUNCTION take_alert();

CREATE OR REPLACE FUNCTION forget_insisting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM insisting WHERE channel_id = old.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER channel_insists_no_more AFTER DELETE ON channel
  FOR EACH ROW WHEN (old.insist_repeat IS NOT NULL) EXECUTE FUNCTION forget_insisting();
