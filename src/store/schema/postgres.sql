-- Only PostgreSQL. Several nodes write, so they lease work, and count for themselves. functions/ has functions and
-- triggers.

-- The versions of the files in functions/, and the newest pushctl that put functions there.
CREATE TABLE function_file (
  file    {text} PRIMARY KEY,
  digest  {text} NOT NULL,
  program {text} NOT NULL
);

-- `last_number`: of the channel's newest subscription, perhaps deleted. Sequence numbers become visible in another order than assigned.
ALTER TABLE channel ADD COLUMN last_number {integer} NOT NULL DEFAULT 0;

-- `number` grows per channel, so an event that stores the highest at its acceptance never reaches a later subscriber. Reactivated devices
-- get a new number. `route`, `active` and `user_id` repeat the device's. Rows without channel or device wait to be removed. `min_level`:
-- index in LEVELS (push.ts) of the lowest level sent. `muted_until`: wall clock; 0: not muted.
CREATE TABLE subscription (
  channel_id  {integer} NOT NULL,
  number      {integer} NOT NULL,
  device_id   {integer} NOT NULL,
  user_id     {integer} NOT NULL,
  route       {text} NOT NULL,
  active      INTEGER NOT NULL CHECK (active IN (0, 1)),
  min_level   INTEGER NOT NULL DEFAULT 0 CHECK (min_level BETWEEN 0 AND 3),
  muted_until {integer} NOT NULL DEFAULT 0,
  generation  {integer} NOT NULL DEFAULT 0, -- the device's when the row was written
  PRIMARY KEY (device_id, channel_id)
);
CREATE UNIQUE INDEX subscription_on_route ON subscription (channel_id, route, active, number);
CREATE INDEX subscription_by_user ON subscription (user_id, channel_id, device_id);

-- Nodes: the servers of this store. Each renews its lease. After a lease ends, another node frees its work in parts; `is_evicted` ends
-- the lease for good. `spared`: got a lease while all were silent. `revocations_seen`: the last one applied to its claims. `hears`: whether
-- notices reach it.
CREATE TABLE node (
  id               {identity},
  name             {text} NOT NULL,
  version          {text} NOT NULL,
  address          {text}, -- where it listens; NULL: not yet
  started_at       {integer} NOT NULL,
  lease_ms         {integer} NOT NULL, -- for how long it is renewed
  lease_end        {integer} NOT NULL,
  beaten_at        {integer} NOT NULL, -- its last sign of life
  spared           BOOLEAN NOT NULL DEFAULT false,
  revocations_seen {integer} NOT NULL,
  hears            BOOLEAN NOT NULL DEFAULT false,
  clock_off_ms     {integer} NOT NULL DEFAULT 0, -- its wall clock's lead over the database's
  health           {text} NOT NULL DEFAULT '{}', -- a JSON object
  is_evicted       BOOLEAN NOT NULL DEFAULT false
);

-- `jumped_at`: the database's clock after the last jump that was counted.
ALTER TABLE queue_clock ADD COLUMN jumped_at {integer} NOT NULL DEFAULT 0;

-- Separate idempotency keys: the first insert wins.
CREATE TABLE idempotency_key (
  workspace_id {integer} NOT NULL,
  key          {text} NOT NULL,
  event_id     {integer} NOT NULL,
  PRIMARY KEY (workspace_id, key)
);

-- Counters change with each event. While an old transaction is open, all versions of a row stay, and a lookup reads them. So counters
-- have a `slot` at the end of their key: each row moves on every second, and lookups begin at the newest slot (functions/counters.sql).

-- Each node counts events in its own row, so none waits. Workspaces with an allowance count for node 0, whose row is locked.
CREATE TABLE usage_of_node (
  workspace_id {integer} NOT NULL,
  month        {text} NOT NULL, -- 2026-11
  node_id      {integer} NOT NULL,
  slot         {integer} NOT NULL DEFAULT 0,
  events       {integer} NOT NULL,
  PRIMARY KEY (workspace_id, month, node_id, slot)
);
CREATE VIEW usage AS
  SELECT workspace_id, month, sum(events) AS events FROM usage_of_node GROUP BY workspace_id, month;

-- Hourly counters, as in sqlite.sql, per counting node. Readers add them.
CREATE TABLE tally (
  hour         {integer} NOT NULL, -- its first millisecond
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL, -- 0: test pushes
  route        {text} NOT NULL, -- '' for events
  measure      {text} NOT NULL,
  reason       {text} NOT NULL,
  node_id      {integer} NOT NULL,
  slot         {integer} NOT NULL DEFAULT 0,
  count        {integer} NOT NULL,
  PRIMARY KEY (hour, workspace_id, channel_id, route, measure, reason, node_id, slot)
);

-- `address`: platform and first characters of the token. Lines are registered in this order, to insert them close together in the token
-- index.
CREATE TABLE import_line (
  import_id {integer} NOT NULL,
  address   {text} NOT NULL,
  line      {integer} NOT NULL,
  device    {text} NOT NULL, -- JSON, with ids of channels
  PRIMARY KEY (import_id, address, line)
);

-- The queue: how far an event is sent on one route, in stretches of subscription numbers: those above `start`, up to `last`. Everything up
-- to `cursor` is recorded. `owner`: the node that works on it, in memory; NULL: free. `home`: the node with the event's links in memory,
-- which alone may own it while it lives; 0: any. `targeted`: its targets, of which `recorded` have a delivery row. `records`: how often its
-- owners recorded, so that a repeated record counts once.
CREATE TABLE fan_out (
  event_id     {integer} NOT NULL,
  route        {text} NOT NULL,
  start        {integer} NOT NULL DEFAULT 0,
  lane         {text} NOT NULL,
  home         {integer} NOT NULL DEFAULT 0,
  owner        {integer},
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL,
  cursor       {integer} NOT NULL DEFAULT 0,
  last         {integer} NOT NULL,
  targeted     {integer} NOT NULL,
  recorded     {integer} NOT NULL DEFAULT 0,
  records      {integer} NOT NULL DEFAULT 0,
  expires_at   {integer} NOT NULL, -- the event's
  PRIMARY KEY (event_id, route, start)
);
CREATE INDEX fan_out_free ON fan_out (route, lane, home, workspace_id, event_id, start) WHERE owner IS NULL; -- the order of turns
CREATE INDEX fan_out_owned ON fan_out (owner) WHERE owner IS NOT NULL; -- what an evicted node leaves
CREATE INDEX fan_out_at_home ON fan_out (home) WHERE home <> 0; -- the same of a lost home
CREATE INDEX fan_out_by_expiry ON fan_out (expires_at, event_id); -- the sweep

-- `owner`, `home`: a pending delivery's, as of a fan-out. `expires_at`: the event's, when the delivery began to wait.
ALTER TABLE delivery ADD COLUMN owner {integer}, ADD COLUMN home {integer} NOT NULL DEFAULT 0, ADD COLUMN expires_at {integer};
-- Only pending deliveries are in these: by turns, by time alone, and for the purposes of a fan-out's.
CREATE INDEX delivery_due ON delivery (route, lane, home, workspace_id, due_at) WHERE state = 'pending' AND owner IS NULL;
CREATE INDEX delivery_next ON delivery (route, lane, home, due_at) WHERE state = 'pending' AND owner IS NULL;
CREATE INDEX delivery_owned ON delivery (owner) WHERE owner IS NOT NULL;
CREATE INDEX delivery_at_home ON delivery (home) WHERE state = 'pending' AND home <> 0;
CREATE INDEX delivery_by_expiry ON delivery (expires_at, event_id) WHERE state = 'pending';
CREATE INDEX event_is_taken_back ON event (id) WHERE expires_at = 0; -- the sweep: cancelled events, those of ended alerts

-- Waiting work, as changes that readers add up: writers wait for nobody, and reading does not grow with the queue. `waiting`: fan-out
-- targets without a delivery; `deferred`: pending deliveries. `workspace_id` 0: none; every lane ever used has that row. `tend_queue`
-- combines rows.
CREATE TABLE queue_change (
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  waiting      {integer} NOT NULL,
  deferred     {integer} NOT NULL,
  workspace_id {integer} NOT NULL
);

-- No fan-out of the lane below `event_id` is free, so leases begin there. Very many finished rows may lie before it, kept while, for
-- example, pg_dump can see them. `next`: the next value, valid once all work from its time has ended.
CREATE TABLE queue_floor (
  route    {text} NOT NULL,
  lane     {text} NOT NULL,
  event_id {integer} NOT NULL,
  next     {integer} NOT NULL,
  next_at  {integer} NOT NULL,
  next_xid XID8 NOT NULL,
  PRIMARY KEY (route, lane)
);

-- Nodes exchange data in rows; a notice (NOTIFY) only announces them.

-- How often each topic (store/call.ts) changed. `nodes`: how often a node came or went; `revocations`: the newest one's id.
CREATE TABLE change (
  topic  {text} PRIMARY KEY,
  number {integer} NOT NULL
);

-- Revoked claimed work, written in the revoking transaction. Such transactions take the lock `changes`, so ids are in commit order. A row
-- stays until every node has applied it (node.revocations_seen). A deleted workspace is revoked as a whole: its channels, and rows of a
-- deleted channel, need none.
CREATE TABLE revocation (
  id           {identity},
  workspace_id {integer},
  device_id    {integer},
  channel_id   {integer},
  event_id     {integer}
);

-- Rate limits shared by all nodes. A database crash empties the table, as if all windows restarted. Uses are counted in slots of a 60th of
-- the window. The last request `wanted` so many uses, of `most`; `free` remained, and `reset_ms` until one more.
CREATE UNLOGGED TABLE rolling_window (
  name     {text} NOT NULL,
  slot_ms  {integer} NOT NULL,
  slot     {integer} NOT NULL, -- the number of the newest slot: the time divided by slot_ms
  oldest   {integer} NOT NULL, -- nothing before it counts
  counts   INTEGER[] NOT NULL, -- the newest slot first: 61, because the oldest may count in part
  used     {integer} NOT NULL, -- their sum
  wanted   {integer} NOT NULL,
  most     {integer} NOT NULL,
  free     {integer} NOT NULL,
  reset_ms {integer} NOT NULL,
  PRIMARY KEY (name, slot)
);

-- A row takes a new page, which proves that events can be stored: full disks still allow changes of rows. Not vacuumed, which would free
-- pages for use.
CREATE TABLE room (filler {text} NOT NULL);
ALTER TABLE room ALTER filler SET STORAGE PLAIN, SET (fillfactor = 10, autovacuum_enabled = false);

CREATE VIEW webhook_alert AS
SELECT alert.event_id, json_build_object(
  'id', encode(opening.uuid, 'hex'), 'channel', coalesce(channel.slug, alert_mark.channel), 'state', alert.state, 'title', newest.title, 'level', newest.level,
  'newest_event', encode(newest.uuid, 'hex'), 'opened_at', alert.opened_at,
  'reminders', alert.reminders + CASE alert.state WHEN 'open' THEN coalesce(channel.reminders - alert.reminders_from, 0) ELSE 0 END,
  'acknowledged_by', alert.acknowledged_by, 'acknowledged_at', alert.acknowledged_at,
  'ended_by', coalesce(alert.ended_by, alert.ended_kind), 'ended_at', alert.ended_at,
  'reopened_by', alert.reopened_by, 'reopened_at', alert.reopened_at, 'assigned_to', alert.assigned_to, 'assigned_by', alert.assigned_by,
  'assigned_at', alert.assigned_at
)::text AS data
FROM alert
JOIN event AS opening ON opening.id = alert.event_id
JOIN event AS newest ON newest.id = alert.newest_event_id
LEFT JOIN channel ON channel.id = alert.channel_id
LEFT JOIN alert_mark ON alert_mark.number = alert.mark
WHERE channel.id IS NOT NULL OR alert_mark.number IS NOT NULL;

-- Room in each page for rows that change often: a new version on the same page needs no index entries. Consecutive events are settled in
-- turn, so each needs room.
ALTER TABLE event SET (fillfactor = 45);
ALTER TABLE audience SET (fillfactor = 50);
ALTER TABLE node SET (fillfactor = 50);
ALTER TABLE usage_of_node SET (fillfactor = 50);
ALTER TABLE tally SET (fillfactor = 50);
ALTER TABLE fan_out SET (fillfactor = 50);
ALTER TABLE change SET (fillfactor = 50);
ALTER TABLE rolling_window SET (fillfactor = 50);
ALTER TABLE queue_floor SET (fillfactor = 50);
ALTER TABLE heartbeat_mark SET (fillfactor = 50);
ALTER TABLE insisting SET (fillfactor = 50);
ALTER TABLE alert SET (fillfactor = 70);
ALTER TABLE channel SET (fillfactor = 80);
ALTER TABLE api_key SET (fillfactor = 80);
ALTER TABLE heartbeat SET (fillfactor = 80);

-- Functions' parameters and results.

-- Targets with the same result: of a fan-out (`fan_out`: its place among those recorded), or an event's retries (NULL).
CREATE TYPE verdict_line AS (
  event_id BIGINT, fan_out INTEGER, workspace_id BIGINT, channel_id BIGINT, route TEXT, lane TEXT, home BIGINT,
  state TEXT, reason TEXT, spent SMALLINT, retry_in_ms BIGINT, fitted BOOLEAN, links_lost BOOLEAN, kept_s BIGINT,
  device_ids BIGINT[]
);
-- A fan-out's record of so many targets, the next of its `records`: recorded up to `settled_to` without a gap, or to its end. `state`,
-- `reason`: how targets end that it never reached; NULL: by the event's row.
CREATE TYPE fan_out_record AS (
  event_id BIGINT, route TEXT, start BIGINT, number BIGINT, settled_to BIGINT, is_ended BOOLEAN, targets BIGINT, state TEXT, reason TEXT
);
-- Leased work: a stretch of a fan-out with at most `left` targets, or a retry (`device_id`). Without an event: locked rows.
CREATE TYPE leased_work AS (
  workspace_id BIGINT, event_id BIGINT, route TEXT, lane TEXT, home BIGINT, channel_id BIGINT, start BIGINT, cursor BIGINT, last BIGINT,
  left_over BIGINT, records BIGINT, device_id BIGINT, due_at BIGINT
);
-- A channel's active devices that a sender's event reaches on a route.
CREATE TYPE reached_route AS (sender INTEGER, route TEXT, devices BIGINT);
