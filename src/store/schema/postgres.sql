-- The parts that only PostgreSQL has. Several nodes write, so pages of a fan-out are claimed, and every node counts for
-- itself. functions/ holds the functions and triggers.

-- Which version of each file in functions/ is in place, and the newest pushctl that put functions there.
CREATE TABLE function_file (
  file    {text} PRIMARY KEY,
  digest  {text} NOT NULL,
  program {text} NOT NULL
);

-- `last_number`: of the channel's newest subscription, which may be deleted. The numbers of a sequence become visible in another order
-- than they are assigned.
ALTER TABLE channel ADD COLUMN last_number {integer} NOT NULL DEFAULT 0;

-- `number` grows with each subscription of the channel, so an event that stores the highest number at its acceptance never reaches a later
-- subscriber. A device that is active again gets a new number. `route`, `active` and `user_id` repeat the device's. A row without a
-- channel or a device waits to be removed. `min_level`: the index in LEVELS (push.ts) of the lowest level that is sent. `muted_until`: by the wall
-- clock; 0: not muted.
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

-- Nodes: the servers that use this store. Each renews its lease. If a lease ends, another node frees what that node held, in parts:
-- `is_evicted` from then on, which ends its lease for good. `spared`: it got a lease while all were silent. `revocations_seen`: the last
-- revocation that it has applied to its claims. `hears`: whether notices reach it.
CREATE TABLE node (
  id               {identity},
  name             {text} NOT NULL,
  version          {text} NOT NULL,
  address          {text}, -- where it listens; NULL: not yet
  started_at       {integer} NOT NULL,
  lease_ms         {integer} NOT NULL, -- for how long it is renewed
  lease_end        {integer} NOT NULL,
  spared           BOOLEAN NOT NULL DEFAULT false,
  revocations_seen {integer} NOT NULL,
  hears            BOOLEAN NOT NULL DEFAULT false,
  clock_off_ms     {integer} NOT NULL DEFAULT 0, -- its wall clock's lead over the database's
  health           {text} NOT NULL DEFAULT '{}', -- a JSON object
  is_evicted       BOOLEAN NOT NULL DEFAULT false
);

-- Idempotency keys in a table of their own: the first insert wins.
CREATE TABLE idempotency_key (
  workspace_id {integer} NOT NULL,
  key          {text} NOT NULL,
  event_id     {integer} NOT NULL,
  PRIMARY KEY (workspace_id, key)
);

-- Each node counts events in its own row, so no node waits for another. Events of a workspace with an allowance count for node 0, whose row
-- is locked.
CREATE TABLE usage_of_node (
  workspace_id {integer} NOT NULL,
  month        {text} NOT NULL, -- 2026-11
  node_id      {integer} NOT NULL,
  events       {integer} NOT NULL,
  PRIMARY KEY (workspace_id, month, node_id)
);
CREATE VIEW usage AS
  SELECT workspace_id, month, sum(events) AS events FROM usage_of_node GROUP BY workspace_id, month;

-- Counters by hour, as in sqlite.sql, a row for each node that counts. Readers add them.
CREATE TABLE tally (
  hour         {integer} NOT NULL, -- its first millisecond
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL, -- 0: test pushes
  route        {text} NOT NULL, -- '' for events
  measure      {text} NOT NULL,
  reason       {text} NOT NULL,
  node_id      {integer} NOT NULL,
  count        {integer} NOT NULL,
  PRIMARY KEY (hour, workspace_id, channel_id, route, measure, reason, node_id)
);

-- `address`: the platform, and the first characters of the token. Lines are registered in this order, so each is inserted near the one
-- before it in the index of tokens.
CREATE TABLE import_line (
  import_id {integer} NOT NULL,
  address   {text} NOT NULL,
  line      {integer} NOT NULL,
  device    {text} NOT NULL, -- JSON, with ids of channels
  PRIMARY KEY (import_id, address, line)
);

-- The queue: how far an event is sent to its subscriptions on one route. Everything up to `claimed_to` was claimed, and is settled or in a
-- claim; `last` is the highest subscription number at acceptance. `home`: the node that holds the event's links in memory, and alone sends
-- the event while it lives; 0: any node. `is_open`: something is left to claim. It is a column because a condition on claimed_to would
-- write every page of an event to all indexes.
CREATE TABLE fan_out (
  event_id     {integer} NOT NULL,
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  home         {integer} NOT NULL DEFAULT 0,
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL,
  claimed_to   {integer} NOT NULL DEFAULT 0,
  last         {integer} NOT NULL,
  targeted     {integer} NOT NULL,
  expires_at   {integer} NOT NULL, -- the event's
  is_open      BOOLEAN NOT NULL DEFAULT true CONSTRAINT fan_out_is_open CHECK (is_open = (claimed_to < last)),
  PRIMARY KEY (event_id, route)
);
CREATE INDEX fan_out_open ON fan_out (route, lane, home, workspace_id, event_id) WHERE is_open; -- the order of turns
CREATE INDEX fan_out_at_home ON fan_out (home) WHERE home <> 0;
CREATE INDEX fan_out_by_expiry ON fan_out (expires_at, event_id);

-- How many of a fan-out's targets have a delivery row; no row: none. In fan_out, a node that settles a page would keep the next page from
-- being claimed until its commit is on the disk.
CREATE TABLE fan_out_progress (
  event_id {integer} NOT NULL,
  route    {text} NOT NULL,
  recorded {integer} NOT NULL,
  PRIMARY KEY (event_id, route)
);

-- The claims of nodes. A claim is a page of a fan-out (the subscriptions after `from_number` up to `to_number`), or due
-- retries of an event if the two numbers are equal. `size`: the largest possible number of targets. A page that a node
-- released, or that a dead node held, is claimed again without its settled targets. `request`: the number of the node's
-- request. `home`: the same as of the fan-out.
CREATE TABLE claim (
  id           {identity},
  event_id     {integer} NOT NULL,
  node_id      {integer}, -- NULL: free
  request      {integer},
  home         {integer} NOT NULL DEFAULT 0,
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  workspace_id {integer} NOT NULL,
  from_number  {integer} NOT NULL,
  to_number    {integer} NOT NULL,
  size         {integer} NOT NULL
);
CREATE INDEX claim_of_event ON claim (event_id);
CREATE INDEX claim_free ON claim (route, lane, home, workspace_id, event_id, from_number) WHERE node_id IS NULL;

-- `claim_id`: the claim that holds a pending delivery. `home`: as of the fan-out. `expires_at`: the event's, when the delivery began to wait.
ALTER TABLE delivery ADD COLUMN claim_id {integer}, ADD COLUMN home {integer} NOT NULL DEFAULT 0, ADD COLUMN expires_at {integer};
CREATE INDEX delivery_due ON delivery (route, lane, home, workspace_id, due_at) WHERE state = 'pending' AND claim_id IS NULL;
CREATE INDEX delivery_next ON delivery (route, lane, home, due_at) WHERE state = 'pending' AND claim_id IS NULL;
CREATE INDEX delivery_of_claim ON delivery (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX delivery_at_home ON delivery (home) WHERE state = 'pending' AND home <> 0;
CREATE INDEX delivery_by_expiry ON delivery (expires_at, event_id) WHERE state = 'pending';
CREATE INDEX event_is_taken_back ON event (id) WHERE expires_at = 0;

-- How much waits, as changes that readers add up: a writer waits for nobody, and a reader's cost does not grow with the queue. `waiting`:
-- targets of fan-outs without a delivery; `deferred`: pending deliveries. `workspace_id` 0: none; each lane that was ever used has such a
-- row. `tend_queue` combines rows.
CREATE TABLE queue_change (
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  waiting      {integer} NOT NULL,
  deferred     {integer} NOT NULL,
  workspace_id {integer} NOT NULL
);

-- No fan-out of the lane with an event below `event_id` has anything left to claim, so claims begin there. The rows before it may be very
-- many that are done, and that the database keeps while somebody, such as pg_dump, can still see them. `next`: the next value, valid once
-- nobody works who worked when it was found.
CREATE TABLE queue_floor (
  route    {text} NOT NULL,
  lane     {text} NOT NULL,
  event_id {integer} NOT NULL,
  next     {integer} NOT NULL,
  next_at  {integer} NOT NULL,
  next_xid XID8 NOT NULL,
  PRIMARY KEY (route, lane)
);

-- Nodes exchange data in rows. A notice (NOTIFY) only says that there are new rows.

-- How often each topic (store/call.ts) changed. `nodes`: how often a node came or went; `revocations`: the id of the newest revocation.
CREATE TABLE change (
  topic  {text} PRIMARY KEY,
  number {integer} NOT NULL
);

-- Claimed work that must not be sent any more, written in the transaction that revokes it. Such transactions take the lock `changes`, so
-- ids are in the order of commits. A row stays until every node has applied it to its claims (node.revocations_seen). A deleted workspace is
-- revoked as a whole: its channels, and what belongs to a deleted channel, need no rows.
CREATE TABLE revocation (
  id           {identity},
  workspace_id {integer},
  device_id    {integer},
  channel_id   {integer},
  event_id     {integer}
);

-- Rate limits that all nodes share. A crash of the database empties the table, as if all windows began again. Uses are counted in slots of
-- a 60th of the window. Of the last request: `wanted` uses, of `most`; `free` remained, and `reset_ms` until there is one more.
CREATE UNLOGGED TABLE rolling_window (
  name     {text} PRIMARY KEY,
  slot_ms  {integer} NOT NULL,
  slot     {integer} NOT NULL, -- the number of the newest slot: the time divided by slot_ms
  oldest   {integer} NOT NULL, -- nothing before it counts
  counts   INTEGER[] NOT NULL, -- the newest slot first: 61, because the oldest may count in part
  used     {integer} NOT NULL, -- their sum
  wanted   {integer} NOT NULL,
  most     {integer} NOT NULL,
  free     {integer} NOT NULL,
  reset_ms {integer} NOT NULL
);

-- A row here takes a new page, which proves that events can be stored: on a full disk a row can change, but no page can be added. Nothing
-- vacuums the table, because that would free its pages for use.
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

-- Room in each page for rows that change often: a new version on the same page needs no index entries. Events that follow each other are
-- settled after each other, so each needs room for its own.
ALTER TABLE event SET (fillfactor = 50);
ALTER TABLE audience SET (fillfactor = 50);
ALTER TABLE node SET (fillfactor = 50);
ALTER TABLE usage_of_node SET (fillfactor = 50);
ALTER TABLE tally SET (fillfactor = 50);
ALTER TABLE fan_out SET (fillfactor = 50);
ALTER TABLE fan_out_progress SET (fillfactor = 50);
ALTER TABLE claim SET (fillfactor = 50);
ALTER TABLE change SET (fillfactor = 50);
ALTER TABLE rolling_window SET (fillfactor = 50);
ALTER TABLE queue_floor SET (fillfactor = 50);
ALTER TABLE heartbeat_mark SET (fillfactor = 50);
ALTER TABLE insisting SET (fillfactor = 50);
ALTER TABLE alert SET (fillfactor = 70);
ALTER TABLE channel SET (fillfactor = 80);
ALTER TABLE api_key SET (fillfactor = 80);
ALTER TABLE heartbeat SET (fillfactor = 80);

-- Parameters and results of functions.

-- Targets of one event with the same result; of claims, those of one claim.
CREATE TYPE verdict_line AS (
  event_id BIGINT, claim_id BIGINT, is_page BOOLEAN, workspace_id BIGINT, channel_id BIGINT, route TEXT, lane TEXT, home BIGINT,
  state TEXT, reason TEXT, spent SMALLINT, retry_in_ms BIGINT, fitted BOOLEAN, links_lost BOOLEAN, kept_s BIGINT,
  device_ids BIGINT[]
);
-- `id` NULL: nothing is left to claim of the fan-out. All NULL: something was locked, so it is unknown what is left. `is_last`: no later
-- part of the fan-out is claimed now; `is_end`: nor is there one.
CREATE TYPE claimed_part AS (
  id BIGINT, event_id BIGINT, channel_id BIGINT, home BIGINT, from_number BIGINT, to_number BIGINT, size BIGINT, is_last BOOLEAN, is_end BOOLEAN
);
-- How many active devices of a channel a sender's event reaches on a route.
CREATE TYPE reached_route AS (sender INTEGER, route TEXT, devices BIGINT);
