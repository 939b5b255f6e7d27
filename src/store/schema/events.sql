-- Events, and their deliveries.

-- An id is never used again, because a batch in flight may name an event that is deleted by now.
--
-- `had_links`: whether the event had links or `data`, which are never stored. `links_mark`: compares the links of a
-- repeated request, keyed by a secret that is on no disk (http/acceptance.ts). `expires_in`: seconds, as posted; NULL:
-- the operator's default. `occurred_at`: when it happened, says the sender. `one_text`: 1 if a sender's format gave one
-- text only. `last_subscription`: the highest subscription number at acceptance: later subscribers get nothing; NULL: a
-- test push. `cancelled_at`: when it was cancelled; expires_at is 0 then.
--
-- `kind`: NULL if posted; 'reminder' and 'notice' are in no list. 'scheduled' waits for `send_at`, in no list and not
-- in the queue, and becomes another row then. That row's `posted_at` and `announced` say when it was accepted, and for
-- how many devices. 'cancelled' and 'restored' were scheduled. `alert_id`: its alert. `alert`: what its pushes say
-- about the alert, JSON (handlers/alerts/push.ts). `quiet`: why it makes no sound, JSON (contract/loudness.ts); NULL: it
-- rings. `posted_by`: the origin of the API key that posted it; NULL: no key did. `on_call`: the only person for whom it
-- rings; NULL: it rings for everyone, unless it is `quiet`.
CREATE TABLE event (
  id                {identity},
  uuid              {bytes} NOT NULL UNIQUE CHECK (length(uuid) = 16),
  workspace_id      {integer} NOT NULL,
  channel_id        {integer}, -- NULL: a test push to one device
  title             {text} NOT NULL,
  description       {text},
  level             {text} NOT NULL,
  urgency           {text} NOT NULL,
  event_type        {text},
  collapse_key      {text},
  expires_in        {integer},
  idempotency_key   {text},
  had_links         INTEGER NOT NULL CHECK (had_links IN (0, 1)),
  links_mark        {text},
  targeted          {integer} NOT NULL,
  last_subscription {integer},
  occurred_at       {integer},
  one_text          INTEGER,
  received_at       {integer} NOT NULL,
  expires_at        {integer} NOT NULL,
  cancelled_at      {integer},
  accepted          {integer} NOT NULL DEFAULT 0,
  failed            {integer} NOT NULL DEFAULT 0,
  unregistered      {integer} NOT NULL DEFAULT 0,
  expired           {integer} NOT NULL DEFAULT 0,
  withdrawn         {integer} NOT NULL DEFAULT 0,
  fitted            {integer} NOT NULL DEFAULT 0,
  first_accepted_at {integer},
  last_accepted_at  {integer},
  shown             {integer} NOT NULL DEFAULT 0, -- devices that reported it
  opened            {integer} NOT NULL DEFAULT 0,
  kind              {text},
  alert_id          {integer},
  alert             {text},
  quiet             {text},
  send_at           {integer},
  posted_at         {integer},
  announced         {integer},
  posted_by         {text},
  on_call           {integer}
) {strict};
-- Each event is in the first three. Only some are in the others.
CREATE INDEX event_by_channel ON event (channel_id, id); -- lists, unread counts, removal
CREATE INDEX event_by_level ON event (channel_id, level, id); -- the same of a level: errors may be few among millions
CREATE INDEX event_by_workspace ON event (workspace_id, id); -- lists, the share of `max_size`, removal
CREATE INDEX event_of_alert ON event (alert_id, id) WHERE alert_id IS NOT NULL;
CREATE INDEX event_of_kind ON event (channel_id, id) WHERE kind IS NOT NULL; -- what unread counts leave out
CREATE INDEX event_on_call ON event (alert_id, channel_id, id) WHERE on_call IS NOT NULL; -- early widening
CREATE INDEX event_scheduled ON event (send_at, id) WHERE kind = 'scheduled'; -- the next release
CREATE INDEX event_scheduled_of_workspace ON event (workspace_id, id) WHERE kind = 'scheduled'; -- list and number
-- A cancelled event counts for a day in the number of scheduled events that a workspace may have.
CREATE INDEX event_taken_back ON event (workspace_id, cancelled_at) WHERE kind = 'cancelled';
-- Each round asks for a channel's last bundle of alerts, and most pushes about alerts are no bundles.
CREATE INDEX event_of_bundles ON event (channel_id, id) WHERE kind IN ('reminder', 'notice') AND alert LIKE '%"open":%';

-- A row per event and device that was tried, or awaits a retry.
CREATE TABLE delivery (
  event_id     {integer} NOT NULL,
  device_id    {integer} NOT NULL,
  workspace_id {integer} NOT NULL,
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  state        {text} NOT NULL,
  attempts     {integer} NOT NULL,
  reason       {text},
  at           {integer} NOT NULL,
  due_at       {integer}, -- of a pending delivery: when the next attempt is due
  kept_s       {integer}, -- of an accepted one: for how long its service keeps it, if that is less than was asked
  PRIMARY KEY (event_id, device_id)
) {strict keyed};
CREATE INDEX delivery_waiting ON delivery (event_id, device_id) WHERE state = 'pending'; -- an event's retries
-- Why an event did not reach some devices, beside those that it reached.
CREATE INDEX delivery_untried ON delivery (event_id, device_id) WHERE (state IN ('withdrawn', 'expired') OR attempts = 0);

-- Attempts except each delivery's last.
CREATE TABLE attempt (
  event_id  {integer} NOT NULL,
  device_id {integer} NOT NULL,
  number    {integer} NOT NULL,
  at        {integer} NOT NULL,
  reason    {text} NOT NULL,
  PRIMARY KEY (event_id, device_id, number)
) {strict keyed};

-- The report of a device on an event. `awaited_until` (a time of the queue) is set while a report is awaited; a row
-- without a report is deleted then. Deliveries may come later than the report, so this is a table of its own.
CREATE TABLE receipt (
  event_id      {integer} NOT NULL,
  device_id     {integer} NOT NULL,
  awaited_until {integer},
  shown_at      {integer},
  opened_at     {integer},
  PRIMARY KEY (event_id, device_id)
) {strict keyed};
CREATE INDEX receipt_awaited ON receipt (awaited_until, event_id, device_id) WHERE awaited_until IS NOT NULL;

-- Events that an error of pushctl itself keeps from being sent on a route. Their fan-outs wait in the lane
-- `dead_letter`. Each start of a server returns them to `lane`, because a newer version may succeed.
CREATE TABLE dead_letter (
  event_id     {integer} NOT NULL,
  route        {text} NOT NULL,
  lane         {text} NOT NULL,
  workspace_id {integer} NOT NULL,
  at           {integer} NOT NULL,
  reason       {text} NOT NULL,
  PRIMARY KEY (event_id, route)
) {strict keyed};

-- Events whose failed or expired pushes are sent again, in small steps, also after a crash. First come those with a
-- delivery, by device; then those that expired before their first attempt, by subscription.
CREATE TABLE resend (
  event_id {integer} PRIMARY KEY,
  stage    {text} NOT NULL, -- tried, then each route, then done
  cursor   {integer} NOT NULL DEFAULT 0, -- the last device or subscription that was checked
  resent   {integer} NOT NULL DEFAULT 0, -- pushes
  at       {integer} NOT NULL
) {strict};
CREATE INDEX resend_unfinished ON resend (event_id) WHERE stage <> 'done';

-- Routes paused by operators.
CREATE TABLE route_pause (
  route {text} PRIMARY KEY,
  at    {integer} NOT NULL
) {strict keyed};
