-- Accepts a group of events, or only judges some of them (`checks`). A group costs one round trip and one commit. The
-- checks have the contract's order (sqlite/accept.ts). Returns a row for each event. `again`: retry; another event took
-- the idempotency key first, but may not be committed. `busy`: retry; another group is counting the workspace's
-- allowance, and `can_wait` is false. `leaves_alert`: the event would resolve an alert that its key may not resolve.
--
-- The loudness of an event depends on its channel and on the alert that it finds (contract/loudness.ts). The node
-- decides for each alert that the event may find, by the channel's settings as the node knows them (`assumed_sounds`,
-- for each sender). `sound_tables` has the decisions, and `sounds` the place of each event's table (NULL: the first).
-- If the channel has other settings, its events get `other_sound` with those settings (`sound`), and the node decides
-- again. An accepted event with a place has in `sound` why it makes no sound.
--
-- `own_up_to`: the node `home` owns the new fan-outs with at most so many targets, and works on them at once. Of its first
-- event, `owned` has them all, as `leased_work`.
--
-- `senders`: each event's place in the lists of senders (key, its requirements, channel). `over`: events of keys over
-- their limit. `limited`: workspaces known to have an allowance. A NULL list: no event has the field. `counts`: false
-- for the server's own events, which no allowance limits.
--
-- Plans are made while the tables are empty, and stay. So each table has one access path, by its key. Each sender or
-- event looks up its own rows: no plan can reorder a LATERAL with OFFSET 0.
--
-- `releases`: scheduled events that are due. They were accepted earlier, so they are sent even if their channel is
-- inactive by now. A group without scheduled events and insistent channels skips these queries, which would cost 28 µs,
-- and 1 µs per event.
CREATE OR REPLACE FUNCTION accept_events(
  node BIGINT, home BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT, served_routes TEXT[], limited BIGINT[], can_wait BOOLEAN,
  key_ids TEXT[], scopes TEXT[], workspace_ids BIGINT[], bound_key_ids TEXT[], channels TEXT[],
  senders INTEGER[], checks BOOLEAN[], over BOOLEAN[], idempotency_keys TEXT[], uuids TEXT[], links SMALLINT[], links_marks TEXT[],
  lives BIGINT[], titles TEXT[], descriptions TEXT[], levels TEXT[], urgencies TEXT[], event_types TEXT[], collapse_keys TEXT[],
  expires_ins BIGINT[], occurred_ats BIGINT[], counts BOOLEAN DEFAULT true,
  send_ats BIGINT[] DEFAULT NULL, releases BOOLEAN DEFAULT false, posters TEXT[] DEFAULT NULL,
  one_texts SMALLINT[] DEFAULT NULL, assumed_sounds TEXT[] DEFAULT NULL, sound_tables TEXT[] DEFAULT NULL, sounds SMALLINT[] DEFAULT NULL,
  own_up_to BIGINT DEFAULT 0
)
RETURNS TABLE (
  place INTEGER, verdict TEXT, event_id BIGINT, targeted BIGINT, routes TEXT, at BIGINT, is_limited BOOLEAN, leaves_alert BOOLEAN, sound TEXT,
  owned JSON
)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  wall_ms BIGINT;
  steady_ms BIGINT;
  this_month TEXT;
  locked_month TEXT := '';
  locked BIGINT[];
  sender RECORD;
  -- These lists have one entry per sender:
  refusals TEXT[];
  channel_ids BIGINT[];
  last_numbers BIGINT[];
  targets BIGINT[];
  route_lists TEXT[];
  are_limited BOOLEAN[];
  are_insisting BOOLEAN[];
  are_other BOOLEAN[];
  found_sounds TEXT[];
  reached reached_route[];
  -- These lists have one entry per event. `verdicts` is NULL for events that may be accepted.
  verdicts TEXT[];
  firsts BIGINT[];
  ids BIGINT[];
  won BIGINT[];
  -- Whether each event is sent later.
  laters BOOLEAN[];
  living_home BIGINT := 0;
  now_owned JSON;
  leaving BIGINT[];
BEGIN
  -- Changes of a plan, or deletions of a channel, await all earlier judgements. Later judgements await them (locks.ts).
  PERFORM pg_advisory_xact_lock_shared(3, current_schema()::text::regnamespace::oid::int);

  LOOP
    -- Workspaces with an allowance take turns in the whole cluster: the next statement sees all earlier counts. Others
    -- never wait for each other.
    IF limited IS NOT NULL THEN
      locked_month := to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM');
      IF given_wall_ms IS NOT NULL THEN
        locked_month := to_char(to_timestamp(given_wall_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM');
      END IF;
      locked := lock_allowances(limited, locked_month, can_wait);
    END IF;
    PERFORM begin_accept();
    -- Events that waited are received now: times grow with ids. The month may have changed.
    wall_ms := coalesce(given_wall_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);

    refusals := '{}'; channel_ids := '{}'; last_numbers := '{}'; targets := '{}'; route_lists := '{}'; are_limited := '{}'; are_insisting := '{}'; are_other := NULL; found_sounds := NULL;
    reached := '{}';
    FOR sender IN
      SELECT asked.workspace_id,
        CASE
          WHEN asked.key_id IS NULL THEN NULL
          WHEN owner.id IS NULL THEN 'unauthenticated'
          WHEN api_key.revoked_at IS NOT NULL THEN 'key_revoked'
          WHEN api_key.expires_at <= wall_ms THEN 'key_expired'
          WHEN NOT asked.scope = ANY (string_to_array(api_key.scopes, ' ')) THEN 'missing_scope'
          WHEN owner.status <> 'active' THEN 'workspace_inactive'
        END AS refusal,
        CASE WHEN asked.bound_key_id IS NULL OR EXISTS (
          SELECT 1 FROM key_channel WHERE key_id = asked.bound_key_id AND channel_id = channel.id
        ) THEN channel.id END AS channel_id,
        channel.last_number, channel.insist_repeat IS NOT NULL AND channel.status = 'active' AS insists,
        asked.nth, channel.sound, channel.id IS NOT NULL AND channel.sound IS DISTINCT FROM asked.sound AS is_other, counts AND plan.monthly_events IS NOT NULL AS is_limited, audience.*
      FROM unnest(key_ids, scopes, workspace_ids, bound_key_ids, channels, assumed_sounds) WITH ORDINALITY
        AS asked(key_id, scope, workspace_id, bound_key_id, channel, sound, nth)
      LEFT JOIN LATERAL (SELECT * FROM api_key WHERE id = asked.key_id OFFSET 0) AS api_key ON true
      LEFT JOIN LATERAL (SELECT id, status FROM workspace WHERE id = api_key.workspace_id OFFSET 0) AS owner ON true
      LEFT JOIN LATERAL (SELECT plan FROM workspace WHERE id = asked.workspace_id OFFSET 0) AS workspace ON true
      LEFT JOIN LATERAL (SELECT monthly_events FROM plan WHERE name = workspace.plan OFFSET 0) AS plan ON true
      LEFT JOIN LATERAL (
        SELECT id, status, last_number, insist_repeat, sound_of(quiet, rings, windows, ring_after, rota_id) AS sound FROM channel
        WHERE workspace_id = asked.workspace_id AND workspace.plan IS NOT NULL AND slug = asked.channel AND (status = 'active' OR releases) OFFSET 0
      ) AS channel ON true
      LEFT JOIN LATERAL (
        SELECT sum(devices)::bigint AS targeted, string_agg(route, ' ' ORDER BY array_position(served_routes, route)) AS routes,
          array_agg(ROW(asked.nth, route, devices)::reached_route) AS reached
        FROM audience WHERE channel_id = channel.id AND devices > 0 AND route = ANY (served_routes) OFFSET 0
      ) AS audience ON true
      ORDER BY asked.nth
    LOOP
      refusals := array_append(refusals, sender.refusal);
      channel_ids := array_append(channel_ids, sender.channel_id);
      last_numbers := array_append(last_numbers, sender.last_number);
      targets := array_append(targets, coalesce(sender.targeted, 0));
      route_lists := array_append(route_lists, sender.routes);
      are_limited := array_append(are_limited, sender.is_limited);
      are_insisting := array_append(are_insisting, sender.insists);
      IF sender.is_other THEN
        are_other[sender.nth] := true;
        found_sounds[sender.nth] := sender.sound;
      END IF;
      reached := reached || sender.reached;
    END LOOP;
    this_month := to_char(to_timestamp(wall_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM');
    EXIT WHEN NOT true = ANY (are_limited);
    limited := ARRAY(SELECT DISTINCT workspace_ids[nth] FROM generate_subscripts(are_limited, 1) AS nth WHERE are_limited[nth]);
    EXIT WHEN locked_month = this_month AND limited <@ locked OR NOT can_wait AND locked IS NOT NULL;
  END LOOP;
  steady_ms := coalesce(given_steady_ms, queue_time(wall_ms));
  IF send_ats IS NOT NULL AND NOT releases THEN
    SELECT array_agg(coalesce(posted.at > wall_ms, false) ORDER BY posted.nth) INTO laters FROM unnest(send_ats) WITH ORDINALITY AS posted(at, nth);
  END IF;

  IF idempotency_keys IS NOT NULL THEN
    firsts := first_events(workspace_ids, senders, idempotency_keys, checks);
  END IF;
  SELECT array_agg(
    CASE
      WHEN refusals[posted.sender] IS NOT NULL THEN refusals[posted.sender]
      WHEN posted.over THEN 'rate_limited'
      WHEN posted.first_id IS NOT NULL THEN 'replayed'
      WHEN channel_ids[posted.sender] IS NULL THEN 'unknown_channel'
      WHEN are_other[posted.sender] THEN 'other_sound'
      WHEN are_limited[posted.sender] AND (NOT workspace_ids[posted.sender] = ANY (locked) OR locked_month <> this_month) THEN 'busy'
    END ORDER BY posted.nth)
  INTO verdicts
  FROM unnest(senders, over, firsts) WITH ORDINALITY AS posted(sender, over, first_id, nth);
  IF true = ANY (laters) THEN
    verdicts := within_waiting(verdicts, workspace_ids, senders, checks, laters, wall_ms);
  END IF;
  IF limited IS NOT NULL OR idempotency_keys IS NOT NULL THEN
    verdicts := in_their_turns(verdicts, workspace_ids, senders, checks, idempotency_keys, limited, this_month);
  END IF;

  SELECT array_agg(CASE WHEN posted.verdict IS NULL AND NOT posted.is_check THEN nextval('event_id_seq') END ORDER BY posted.nth) INTO ids
  FROM unnest(verdicts, checks) WITH ORDINALITY AS posted(verdict, is_check, nth);

  IF idempotency_keys IS NOT NULL THEN
    WITH taken AS (
      INSERT INTO idempotency_key (workspace_id, key, event_id)
      SELECT workspace_ids[posted.sender], posted.key, posted.id FROM unnest(senders, idempotency_keys, ids) AS posted(sender, key, id)
      WHERE posted.id IS NOT NULL AND posted.key IS NOT NULL
      ORDER BY workspace_ids[posted.sender], posted.key
      ON CONFLICT DO NOTHING
      RETURNING event_id
    )
    SELECT array_agg(event_id) INTO won FROM taken;
    -- A replay does not use the allowance.
    SELECT array_agg(CASE
        WHEN posted.is_lost OR posted.verdict = 'allowance_exhausted' AND NOT posted.is_check AND posted.has_lost THEN 'again'
        ELSE posted.verdict
      END ORDER BY posted.nth),
      array_agg(CASE WHEN NOT posted.is_lost THEN posted.id END ORDER BY posted.nth)
    INTO verdicts, ids
    FROM (
      SELECT posted.*, bool_or(posted.is_lost) OVER (PARTITION BY workspace_ids[posted.sender]) AS has_lost FROM (
        SELECT posted.*, posted.id IS NOT NULL AND posted.key IS NOT NULL AND NOT posted.id = ANY (coalesce(won, '{}')) AS is_lost
        FROM unnest(senders, verdicts, checks, idempotency_keys, ids) WITH ORDINALITY AS posted(sender, verdict, is_check, key, id, nth)
      ) AS posted
    ) AS posted;
  END IF;

  INSERT INTO event (id, uuid, workspace_id, channel_id, title, description, level, urgency, event_type, collapse_key,
    expires_in, occurred_at, one_text, idempotency_key, had_links, links_mark, targeted, last_subscription, received_at, expires_at, quiet, send_at,
    kind, announced, posted_by)
  SELECT posted.id, decode(posted.uuid, 'hex'), workspace_ids[posted.sender], channel_ids[posted.sender], posted.title, posted.description,
    posted.level, posted.urgency, posted.event_type, posted.collapse_key, posted.expires_in, posted.occurred_at, posted.one_text, posted.key,
    coalesce(posted.had_links, 0), posted.links_mark, CASE WHEN posted.is_later THEN 0 ELSE targets[posted.sender] END,
    CASE WHEN posted.is_later THEN NULL ELSE last_numbers[posted.sender] END, wall_ms, steady_ms + posted.life_ms,
    CASE WHEN posted.sound IS NOT NULL AND posted.is_later IS NOT TRUE THEN (sound_tables[posted.sound]::json->'none')::text END,
    posted.send_at, CASE WHEN posted.is_later THEN 'scheduled' END, CASE WHEN posted.is_later THEN targets[posted.sender] END,
    posters[posted.sender]
  FROM unnest(ids, senders, uuids, titles, descriptions, levels, urgencies, event_types, collapse_keys, expires_ins, occurred_ats,
    one_texts, idempotency_keys, links, links_marks, lives, send_ats, laters, sounds)
    AS posted(id, sender, uuid, title, description, level, urgency, event_type, collapse_key, expires_in, occurred_at, one_text, key, had_links,
      links_mark, life_ms, send_at, is_later, sound)
  WHERE posted.id IS NOT NULL;

  IF cardinality(reached) > 0 THEN
    -- A node evicted meanwhile has lost its links, and owns nothing: any node may send its new events.
    IF home <> 0 AND (own_up_to > 0 OR 1 = ANY (links)) THEN
      living_home := coalesce((SELECT n.id FROM node AS n WHERE n.id = home AND NOT n.is_evicted FOR KEY SHARE), 0);
    END IF;
    WITH made AS (
      INSERT INTO fan_out (route, lane, home, owner, workspace_id, event_id, channel_id, last, targeted, expires_at)
      SELECT audience.route, CASE posted.urgency WHEN 'time_sensitive' THEN 'urgent' ELSE 'standard' END,
        CASE posted.had_links WHEN 1 THEN living_home ELSE 0 END,
        CASE WHEN audience.devices <= own_up_to AND living_home <> 0 THEN living_home END,
        workspace_ids[posted.sender], posted.id, channel_ids[posted.sender], last_numbers[posted.sender], audience.devices,
        steady_ms + posted.life_ms
      FROM unnest(ids, senders, urgencies, links, lives, laters) AS posted(id, sender, urgency, had_links, life_ms, is_later)
      JOIN unnest(reached) AS audience ON audience.sender = posted.sender
      WHERE posted.id IS NOT NULL AND posted.is_later IS NOT TRUE
      RETURNING *
    )
    SELECT json_agg(ROW(
      workspace_id, event_id, route, lane, home, channel_id, start, cursor, last, targeted, records, NULL, NULL
    )::leased_work) INTO now_owned FROM made WHERE owner IS NOT NULL;
  END IF;

  IF true = ANY (are_insisting) THEN
    SELECT array_agg(insisting_event.id) FILTER (WHERE update_alert(
      insisting_event.id, wall_ms, steady_ms, insisting_event.sounds, served_routes
    )) INTO leaving FROM (
      SELECT id, sound_tables[coalesce(sound, 1)]::json AS sounds
      FROM unnest(ids, senders, collapse_keys, laters, sounds) AS posted(id, sender, key, is_later, sound)
      WHERE id IS NOT NULL AND are_insisting[sender] AND is_later IS NOT TRUE ORDER BY channel_ids[sender], key, id OFFSET 0
    ) AS insisting_event;
  END IF;

  IF counts THEN
    PERFORM count_usage(counted.workspace_id, this_month, counted.node_id, counted.many, wall_ms) FROM (
      SELECT workspace_ids[posted.sender] AS workspace_id, CASE WHEN are_limited[posted.sender] THEN 0 ELSE node END AS node_id, count(*) AS many
      FROM unnest(ids, senders) AS posted(id, sender) WHERE posted.id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    ) AS counted;
    PERFORM count_tally(counted.workspace_id, counted.channel_id, '', 'events', '', node, counted.many, wall_ms) FROM (
      SELECT workspace_ids[posted.sender] AS workspace_id, channel_ids[posted.sender] AS channel_id, count(*) AS many
      FROM unnest(ids, senders) AS posted(id, sender) WHERE posted.id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    ) AS counted;
  END IF;

  -- Scheduled events are sent by any node alive when they are due.
  IF true = ANY (laters) THEN
    IF EXISTS (SELECT 1 FROM unnest(ids, laters) AS posted(id, is_later) WHERE posted.id IS NOT NULL AND posted.is_later) THEN
      PERFORM touch_topics('{scheduled}');
    END IF;
  END IF;

  RETURN QUERY
  SELECT posted.nth::integer,
    CASE WHEN posted.verdict IS NOT NULL THEN posted.verdict WHEN posted.is_check THEN 'valid' WHEN posted.is_later THEN 'scheduled'
      ELSE 'accepted' END,
    coalesce(posted.id, posted.first_id), targets[posted.sender], route_lists[posted.sender], wall_ms, are_limited[posted.sender],
    posted.id = ANY (leaving), CASE WHEN posted.verdict = 'other_sound' THEN found_sounds[posted.sender]
      WHEN posted.sound IS NOT NULL AND posted.id IS NOT NULL THEN (SELECT quiet FROM event WHERE event.id = posted.id) END,
    CASE posted.nth WHEN 1 THEN now_owned END
  FROM unnest(verdicts, checks, ids, firsts, senders, laters, sounds) WITH ORDINALITY
    AS posted(verdict, is_check, id, first_id, sender, is_later, sound, nth);
END $$;

-- Counts the requests of integrators under the limits of their keys, then accepts or judges a group of events, in one
-- round trip. The counts are committed first, so no other node waits for a key while its events are accepted. That
-- commit is not synced. The next commit syncs the log up to it, so no use of an accepted event is lost.
--
-- `keys`: NULL if nothing is counted. `key_places`: for each event the place of its key; NULL: not counted. A group
-- that takes longer than `within_ms` is rolled back: its senders have an answer by then, and would post again.
CREATE OR REPLACE PROCEDURE post_events(
  INOUT counted JSON, INOUT judged JSON, within_ms BIGINT,
  keys TEXT[], uses BIGINT[], most BIGINT[], windows_ms BIGINT[], key_places INTEGER[],
  node BIGINT, home BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT, served_routes TEXT[], limited BIGINT[], can_wait BOOLEAN,
  key_ids TEXT[], scopes TEXT[], workspace_ids BIGINT[], bound_key_ids TEXT[], channels TEXT[],
  senders INTEGER[], checks BOOLEAN[], idempotency_keys TEXT[], uuids TEXT[], links SMALLINT[], links_marks TEXT[],
  lives BIGINT[], titles TEXT[], descriptions TEXT[], levels TEXT[], urgencies TEXT[], event_types TEXT[], collapse_keys TEXT[],
  expires_ins BIGINT[], occurred_ats BIGINT[], counts BOOLEAN, send_ats BIGINT[], releases BOOLEAN, posters TEXT[], one_texts SMALLINT[],
  assumed_sounds TEXT[], sound_tables TEXT[], sounds SMALLINT[], own_up_to BIGINT
) LANGUAGE plpgsql AS $$
DECLARE
  began CONSTANT TIMESTAMPTZ := clock_timestamp();
  is_over BOOLEAN := false;
  over BOOLEAN[];
BEGIN
  IF keys IS NOT NULL THEN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT json_agg(key_use), bool_or(key_use.free < uses[array_position(keys, key_use.name)]) INTO counted, is_over
    FROM count_uses(keys, uses, most, windows_ms, given_steady_ms) AS key_use;
    COMMIT;
  END IF;
  -- Waits for a lock no longer than the senders wait.
  PERFORM set_config('lock_timeout', greatest(1, within_ms) || 'ms', true);
  IF is_over THEN
    SELECT array_agg(rank > free ORDER BY nth) INTO over FROM (
      SELECT nth, place, row_number() OVER (PARTITION BY place ORDER BY nth) AS rank
      FROM unnest(key_places) WITH ORDINALITY AS posted(place, nth)
    ) AS ranked LEFT JOIN json_to_recordset(counted) AS key_use(name TEXT, free BIGINT) ON key_use.name = keys[place];
  END IF;
  SELECT json_agg(judgement) INTO judged FROM accept_events(node, home, given_wall_ms, given_steady_ms, served_routes, limited, can_wait, key_ids,
    scopes, workspace_ids, bound_key_ids, channels, senders, checks, over, idempotency_keys, uuids, links, links_marks, lives, titles, descriptions,
    levels, urgencies, event_types, collapse_keys, expires_ins, occurred_ats, counts, send_ats, releases, posters, one_texts, assumed_sounds, sound_tables, sounds, own_up_to) AS judgement;
  -- Rolls the group back as well if the clock was set back, since the duration is unknown.
  IF clock_timestamp() NOT BETWEEN began AND began + within_ms * INTERVAL '1 millisecond' THEN
    RAISE EXCEPTION 'the database did not answer in time' USING ERRCODE = 'query_canceled';
  END IF;
END $$;

-- Announces that the transaction may add events until its commit, with ids above the newest and later times. The
-- announcement is a shared lock that no transaction awaits. Its key is the schema's oid and the lower half of the
-- newest id.
CREATE OR REPLACE FUNCTION begin_accept() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    (current_schema()::text::regnamespace::oid::bigint << 32) + (newest_event_id() & 4294967295)
  );
END $$;
