-- The tables of both engines; sqlite.sql and postgres.sql add their own. files.ts replaces words in braces. `identity`: a key assigned by
-- the database; `integer`: 64 bits (INTEGER: a flag or small number); `bytes`; `text`: compared and sorted by bytes. After a table:
-- `strict`, or `strict keyed` (rows in key order).
--
-- Times are Unix milliseconds. Queue times (due_at, expires_at) use a steady clock: on PostgreSQL the database's.

-- The version of this schema. `oldest`: the oldest version that a program must know to use it. A migration that older
-- programs cannot use (0002_name.breaking.sql) raises `oldest` to its own version. `digest`: the baseline that the
-- database began with.
CREATE TABLE pushctl_schema (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  version {integer} NOT NULL,
  oldest  {integer} NOT NULL,
  digest  {text} NOT NULL
) {strict};
INSERT INTO pushctl_schema (id, version, oldest, digest) VALUES (1, 0, 1, ''); -- the migrator completes it

-- The place that this store was moved to. While the row exists, no server uses the database.
CREATE TABLE moved (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  place {text} NOT NULL,
  at    {integer} NOT NULL
) {strict};

-- Workspaces, channels and API keys. `workspace_id` is never a foreign key: a deletion removes the row of the
-- workspace, and the rest follows in small steps (cleanup_job). So code that finds a row other than by its workspace
-- checks that the workspace still exists.

CREATE TABLE plan (
  name           {text} PRIMARY KEY,
  monthly_events {integer} CHECK (monthly_events >= 0) -- NULL: unlimited
) {strict keyed};
INSERT INTO plan (name, monthly_events) VALUES ('unlimited', NULL);

CREATE TABLE workspace (
  id         {identity},
  slug       {text} NOT NULL UNIQUE,
  name       {text} NOT NULL,
  status     {text} NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  plan       {text} NOT NULL DEFAULT 'unlimited' REFERENCES plan (name),
  created_at {integer} NOT NULL
) {strict};

-- `insist_repeat`: seconds between two reminders of an open alert; NULL: the channel is not insistent. `insist_until`:
-- seconds until an open alert expires. `ring_after`: seconds until an alert rings first; the other times count from
-- then; NULL: it rings at once. After `escalate_after` seconds an alert also reaches the channel `escalate_to`, which
-- may be deleted by then. `quiet`: when standard events make no sound, JSON (contract/rings.ts); NULL: never.
-- `rings`: how often the channel rings at most, JSON (contract/rings.ts); NULL: no limit. `reminders`: how often it has
-- reminded of its open alerts, the last time at `reminded_at`. `windows`: its `maintenance` rows as they decide about
-- sounds, a JSON list; NULL: none. `rota_id`: alerts ring only for the person on call by this rota, for `widen_after`
-- seconds; NULL: they ring for everyone.
CREATE TABLE channel (
  id             {identity},
  workspace_id   {integer} NOT NULL,
  slug           {text} NOT NULL,
  name           {text} NOT NULL,
  status         {text} NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
  created_at     {integer} NOT NULL,
  insist_repeat  {integer},
  insist_until   {integer},
  ring_after     {integer},
  escalate_after {integer},
  escalate_to    {integer},
  rota_id        {integer},
  widen_after    {integer},
  quiet          {text},
  windows        {text},
  rings          {text},
  reminders      {integer} NOT NULL DEFAULT 0,
  reminded_at    {integer},
  UNIQUE (workspace_id, slug)
) {strict};
CREATE INDEX channel_insists ON channel (id) WHERE insist_repeat IS NOT NULL;
CREATE INDEX channel_soonest ON channel ((coalesce(ring_after, insist_repeat))) WHERE insist_repeat IS NOT NULL;
CREATE INDEX channel_of_rota ON channel (rota_id) WHERE rota_id IS NOT NULL;

-- `origin`: the first key of its rotations, or itself. `life`: how long the key was to live when it was issued, in ms;
-- NULL: without end. It is stored because a rotation shortens expires_at, and the successor lives as long. `successor`:
-- the key that replaces it. A `bound` key may name only the channels in key_channel: none, if all of them are deleted.
CREATE TABLE api_key (
  id               {text} PRIMARY KEY,
  workspace_id     {integer} NOT NULL,
  origin           {text} NOT NULL,
  name             {text} NOT NULL,
  secret_hash      {bytes} NOT NULL CHECK (length(secret_hash) = 32),
  scopes           {text} NOT NULL, -- separated by spaces
  burst_per_minute {integer} CHECK (burst_per_minute > 0), -- NULL: the server's default
  level            {text}, -- of events that name none; NULL: info
  urgency          {text}, -- likewise; NULL: standard
  created_at       {integer} NOT NULL,
  expires_at       {integer},
  revoked_at       {integer},
  last_used_at     {integer},
  life             {integer},
  successor        {text},
  bound            INTEGER NOT NULL DEFAULT 0 CHECK (bound IN (0, 1))
) {strict keyed};
CREATE INDEX api_key_by_workspace ON api_key (workspace_id, created_at, id);
CREATE INDEX api_key_by_origin ON api_key (origin);

-- Rows of a deleted channel wait to be removed.
CREATE TABLE key_channel (
  key_id     {text} NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  channel_id {integer} NOT NULL,
  PRIMARY KEY (key_id, channel_id)
) {strict keyed};
CREATE INDEX key_channel_by_channel ON key_channel (channel_id);

-- Expected pings. `every` and `grace` are in seconds; `cron`, five fields in a time zone, replaces `every`. `due_at`:
-- when the next ping is due. `down_at`: when a missing ping, or a run that has not ended, counts as missed. Both are
-- times of the queue, as are `started_at` (of the run `rid`) and `down_since`. NULL: nothing is expected.
-- `flaps_since`: it had too many events within an hour, so its changes are not reported singly. `report_at`: when its
-- state is reported then. `made_by`: origin of the key that made it by a ping. `pinged_by`: origin of the key that last
-- pinged it by name. `due_at`, `down_at`, `started_at` and `report_at` exclude all outages (heartbeat_mark.lost).
-- `jumped`: heartbeat_mark.jumped when `due_at` was set. A heartbeat whose channel is deleted waits to be removed.
CREATE TABLE heartbeat (
  id            {identity},
  workspace_id  {integer} NOT NULL,
  channel_id    {integer} NOT NULL,
  slug          {text} NOT NULL,
  name          {text} NOT NULL,
  uuid          {text} NOT NULL UNIQUE,
  every         {integer},
  cron          {text},
  timezone      {text},
  grace         {integer} NOT NULL,
  failures      INTEGER NOT NULL DEFAULT 1, -- in a row until it is down
  failed        INTEGER NOT NULL DEFAULT 0, -- in a row so far
  state         {text} NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'up', 'down', 'paused')),
  last_ping_at  {integer},
  last_start_at {integer},
  last_duration {integer}, -- milliseconds
  last_output   {text},
  started_at    {integer},
  rid           {text},
  due_at        {integer},
  down_at       {integer},
  down_since    {integer},
  flaps_since   {integer},
  report_at     {integer},
  made_by       {text},
  pinged_by     {text},
  jumped        {integer} NOT NULL DEFAULT 0,
  created_at    {integer} NOT NULL,
  UNIQUE (workspace_id, slug),
  CHECK ((every IS NULL) = (cron IS NOT NULL))
) {strict};
CREATE INDEX heartbeat_by_channel ON heartbeat (channel_id);
CREATE INDEX heartbeat_by_down_at ON heartbeat (down_at) WHERE down_at IS NOT NULL;
CREATE INDEX heartbeat_by_report_at ON heartbeat (report_at) WHERE report_at IS NOT NULL;
CREATE INDEX heartbeat_by_jumped ON heartbeat (jumped) WHERE cron IS NOT NULL AND due_at IS NOT NULL;

-- Events of heartbeats within the last hour, by the queue's clock. `subject`: what has the bound of events an hour. It
-- is no foreign key: a heartbeat that is deleted and added again has the same bound.
CREATE TABLE heartbeat_event (
  id           {identity},
  workspace_id {integer} NOT NULL,
  subject      {text} NOT NULL,
  at           {integer} NOT NULL
) {strict};
CREATE INDEX heartbeat_event_by_subject ON heartbeat_event (workspace_id, subject, at);

-- The last time at which the server could receive pings, by both clocks. The time from then to now was an outage.
-- `lost`: the time of all outages so far. `jumped`: by how much the wall clock was set, in all.
CREATE TABLE heartbeat_mark (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  at      {integer} NOT NULL,
  wall_at {integer} NOT NULL,
  lost    {integer} NOT NULL DEFAULT 0,
  jumped  {integer} NOT NULL DEFAULT 0
) {strict};

-- The wall clock as retention follows it: rows are old by this time while the clock is more than a day ahead of it.
-- `held_ms`: how long servers have worked since then. After a day, the clock counts as right (retention/age-mark.ts).
-- `seen_at`: up to when that time is counted, by the wall clock.
CREATE TABLE age_mark (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  wall_at {integer} NOT NULL,
  held_ms {integer} NOT NULL DEFAULT 0,
  seen_at {integer} NOT NULL
) {strict};

-- Ends of alerts in groups of Alertmanager or Grafana, by their clock, so that late reports of an ended alert are no
-- news. `alerts`: JSON of fingerprints, each with its end and the time at which it was noted. Kept for hours.
CREATE TABLE ended_group (
  channel_id {integer} NOT NULL, -- which may be deleted
  name       {text} NOT NULL, -- a hash
  alerts     {text} NOT NULL,
  noted_at   {integer} NOT NULL,
  PRIMARY KEY (channel_id, name)
) {strict};
CREATE INDEX ended_group_by_noted_at ON ended_group (channel_id, noted_at);

-- People, and how they sign in.

CREATE TABLE person (
  id         {identity},
  email      {text} NOT NULL UNIQUE, -- lower case
  name       {text} NOT NULL,
  password   {text}, -- scrypt, with its parameters; NULL: pairing codes only
  created_at {integer} NOT NULL
) {strict};

-- `read_up_to`: the id of the newest event that the person has read, on any device. A new member has read all earlier
-- events.
CREATE TABLE member (
  workspace_id {integer} NOT NULL,
  user_id      {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  role         {text} NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at   {integer} NOT NULL,
  read_up_to   {integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, user_id)
) {strict keyed};
CREATE INDEX member_by_user ON member (user_id);

-- Events that people have read. member.read_up_to counts for all channels. A higher mark here counts for one level of
-- one channel. A mark rises only if all events below it are read, except those in read_apart.
CREATE TABLE read_mark (
  user_id      {integer} NOT NULL,
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL,
  level        {text} NOT NULL,
  up_to        {integer} NOT NULL, -- id of an event
  PRIMARY KEY (user_id, channel_id, level)
) {strict keyed};
CREATE INDEX read_mark_of_channel ON read_mark (channel_id);

-- Events that are read above the mark of their level and channel, or unread below it. A row is deleted with its event.
CREATE TABLE read_apart (
  user_id      {integer} NOT NULL,
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL,
  level        {text} NOT NULL,
  event_id     {integer} NOT NULL,
  is_read      INTEGER NOT NULL CHECK (is_read IN (0, 1)),
  PRIMARY KEY (user_id, channel_id, level, event_id)
) {strict keyed};
CREATE INDEX read_apart_of_event ON read_apart (event_id, user_id);

-- Use extends expires_at. `confirmed_at`: when the person last proved their identity; NULL: this session is never
-- asked.
CREATE TABLE session (
  token_hash   {bytes} PRIMARY KEY CHECK (length(token_hash) = 32),
  user_id      {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  user_agent   {text},
  created_at   {integer} NOT NULL,
  last_seen_at {integer} NOT NULL,
  expires_at   {integer} NOT NULL,
  confirmed_at {integer}
) {strict keyed};
CREATE INDEX session_by_user ON session (user_id, created_at);
CREATE INDEX session_by_expiry ON session (expires_at);

-- `made_in`: the session that made the code for its own person; the code ends with it. `is_proof`: 0 if the identity
-- provider relied on an earlier sign-in there, which proves nothing about now.
CREATE TABLE pairing_code (
  code_hash  {bytes} PRIMARY KEY CHECK (length(code_hash) = 32),
  user_id    {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  expires_at {integer} NOT NULL,
  made_in    {bytes} REFERENCES session (token_hash) ON DELETE CASCADE,
  is_proof   INTEGER NOT NULL DEFAULT 1 CHECK (is_proof IN (0, 1))
) {strict keyed};
CREATE INDEX pairing_code_by_user ON pairing_code (user_id);
CREATE INDEX pairing_code_made_in ON pairing_code (made_in) WHERE made_in IS NOT NULL;

-- WebAuthn. `id`: SHA-256 of the credential's id. `rp_id`: the passkey's host. `counter`: its signature counter.
CREATE TABLE passkey (
  id           {bytes} PRIMARY KEY CHECK (length(id) = 32),
  user_id      {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  credential   {bytes} NOT NULL,
  public_key   {bytes} NOT NULL,
  counter      {integer} NOT NULL,
  rp_id        {text} NOT NULL,
  name         {text} NOT NULL,
  created_at   {integer} NOT NULL,
  last_used_at {integer}
) {strict keyed};
CREATE INDEX passkey_by_user ON passkey (user_id, created_at);

-- Answered passkey challenges until they expire: each counts once.
CREATE TABLE spent_challenge (
  hash       {bytes} PRIMARY KEY CHECK (length(hash) = 32),
  expires_at {integer} NOT NULL
) {strict keyed};
CREATE INDEX spent_challenge_by_expiry ON spent_challenge (expires_at);

-- A person at the operator's identity provider (OpenID Connect). An issuer gives a `subject` to one account only. A
-- person has one identity of each issuer, so nobody gets access by an email address that changed hands.
CREATE TABLE identity (
  issuer    {text} NOT NULL,
  subject   {text} NOT NULL,
  user_id   {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  linked_at {integer} NOT NULL,
  PRIMARY KEY (issuer, subject)
) {strict keyed};
CREATE UNIQUE INDEX identity_of_person ON identity (user_id, issuer);

-- The rights that a session, pairing code, password or passkey (exactly one) gives its person: in one workspace or all
-- (`workspace_id` NULL), up to `role`. `vouched_by`: the manager whose code began it; NULL: an operator's. Rows of a
-- former member count for nothing, and are removed before the person can be a member again.
CREATE TABLE voucher (
  user_id      {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  session      {bytes} REFERENCES session (token_hash) ON DELETE CASCADE,
  code         {bytes} REFERENCES pairing_code (code_hash) ON DELETE CASCADE,
  password_of  {integer} REFERENCES person (id) ON DELETE CASCADE,
  passkey      {bytes} REFERENCES passkey (id) ON DELETE CASCADE,
  workspace_id {integer},
  role         {text} NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  vouched_by   {integer} REFERENCES person (id) ON DELETE SET NULL
) {strict};
CREATE INDEX voucher_of_session ON voucher (session, workspace_id) WHERE session IS NOT NULL;
CREATE INDEX voucher_of_code ON voucher (code) WHERE code IS NOT NULL;
CREATE INDEX voucher_of_password ON voucher (password_of) WHERE password_of IS NOT NULL;
CREATE INDEX voucher_of_passkey ON voucher (passkey) WHERE passkey IS NOT NULL;
CREATE INDEX voucher_of_member ON voucher (user_id, workspace_id);
CREATE INDEX voucher_by ON voucher (vouched_by) WHERE vouched_by IS NOT NULL;

-- Devices and who receives what.

-- No platforms or routes are listed, so a new provider needs no new table (contract/addresses.ts). `token`: the
-- provider's address of the device, unique on its platform. `keys`: what a push needs in addition, JSON. `accepted_at`:
-- when the provider first accepted a push; NULL: never. `refused_at`: since when it rejects them, because of
-- `refused_reason`; NULL: it does not. `generation` grows if the device gets another owner or route, or becomes active
-- again. Subscriptions of an earlier generation get no push until they are renewed.
CREATE TABLE device (
  id              {identity},
  public_id       {text} NOT NULL UNIQUE,
  user_id         {integer} NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  platform        {text} NOT NULL,
  route           {text} NOT NULL,
  environment     {text},
  token_kind      {text} NOT NULL DEFAULT 'token',
  token           {text} NOT NULL,
  keys            {text},
  name            {text} NOT NULL,
  app_version     {text},
  status          {text} NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
  inactive_reason {text},
  inactive_at     {integer}, -- since when it is inactive
  registered_at   {integer} NOT NULL,
  accepted_at     {integer},
  refused_at      {integer},
  refused_reason  {text},
  generation      {integer} NOT NULL DEFAULT 0,
  UNIQUE (platform, token)
) {strict};
CREATE INDEX device_by_user ON device (user_id, id);
CREATE INDEX device_refused ON device (route, refused_reason, refused_at, accepted_at) WHERE refused_at IS NOT NULL;

-- Devices that may report what they showed, by a token of their own. `shown_at`: when the device last showed a push;
-- NULL: it has never reported. `shown_event`: the newest event that it reported; earlier ones are never missed. A new
-- address counts as a report of all events before. `missed`: how many later alerts and tests were accepted and not
-- reported in time, from the event `missed_from` on. `silent_at`: since when the device counts as not showing.
CREATE TABLE reporter (
  device_id   {integer} PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  token_hash  {bytes} NOT NULL CHECK (length(token_hash) = 32),
  shown_at    {integer},
  shown_event {integer} NOT NULL DEFAULT 0,
  missed      {integer} NOT NULL DEFAULT 0,
  missed_from {integer} NOT NULL DEFAULT 0,
  silent_at   {integer}
) {strict};
CREATE INDEX reporter_silent ON reporter (device_id) WHERE silent_at IS NOT NULL;
CREATE INDEX reporter_reports ON reporter (device_id) WHERE shown_at IS NOT NULL;

-- A channel's active subscriptions by route, so that the server counts no rows to accept an event.
CREATE TABLE audience (
  channel_id {integer} NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
  route      {text} NOT NULL,
  devices    {integer} NOT NULL,
  PRIMARY KEY (channel_id, route)
) {strict keyed};

-- Devices from another system. A `staged` import changes nothing. The lines of a `committed` import become devices in
-- small steps, also after a crash, until no line is left. A `dropped` import waits to be removed.
CREATE TABLE import (
  id           {identity},
  name         {text} NOT NULL UNIQUE, -- chosen by the person who imports
  workspace_id {integer} NOT NULL,
  user_id      {integer} NOT NULL,
  state        {text} NOT NULL DEFAULT 'staged' CHECK (state IN ('staged', 'committed', 'dropped')),
  touched_at   {integer} NOT NULL,
  staged       {integer} NOT NULL DEFAULT 0, -- lines
  wrong        {integer} NOT NULL DEFAULT 0, -- lines
  mistakes     {text} NOT NULL DEFAULT '[]', -- the first wrong lines, as JSON
  imported     {integer} NOT NULL DEFAULT 0,
  updated      {integer} NOT NULL DEFAULT 0
) {strict};

-- Events and alerts.

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
-- about the alert, JSON (verbs/alerts/push.ts). `quiet`: why it makes no sound, JSON (contract/loudness.ts); NULL: it
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
CREATE INDEX event_by_channel ON event (channel_id, id);
CREATE INDEX event_by_level ON event (channel_id, level, id); -- errors may be few among millions
CREATE INDEX event_by_workspace ON event (workspace_id, id);
CREATE INDEX event_of_alert ON event (alert_id, id) WHERE alert_id IS NOT NULL;
CREATE INDEX event_of_kind ON event (channel_id, id) WHERE kind IS NOT NULL;
CREATE INDEX event_on_call ON event (alert_id, channel_id, id) WHERE on_call IS NOT NULL;
CREATE INDEX event_scheduled ON event (send_at, id) WHERE kind = 'scheduled';
CREATE INDEX event_scheduled_of_workspace ON event (workspace_id, id) WHERE kind = 'scheduled';
-- A cancelled event counts for a day in the number of scheduled events that a workspace may have.
CREATE INDEX event_taken_back ON event (workspace_id, cancelled_at) WHERE kind = 'cancelled';
-- Each round asks for a channel's last bundle of alerts, and most pushes about alerts are no bundles.
CREATE INDEX event_of_bundles ON event (channel_id, id) WHERE kind IN ('reminder', 'notice') AND alert LIKE '%"open":%';

-- An alert has the id of the event that opened it. An event with the same channel and collapse key joins a live alert.
-- Times of the queue: `stops_at`, when an open alert expires; `escalate_at`, when it reaches the next channel;
-- `snoozed_until`, when an acknowledged alert opens again. `set_at`: when these were set; none is later than its own
-- length after that. `due_at`: the first of them, until a round has seen that the alert has ended. `posted_by`: the
-- origin of the API key that posted all of its events; NULL: several did, or another caller. `reminders`: those before
-- it last opened. While it is open, those of its channel since then (channel.reminders minus `reminders_from`) come in
-- addition, so a reminder changes no alert rows. `mark`: the number of the last alert_mark that this row has followed.
--
-- `holder`, `snoozer`, `ender`, `reopener`, `assignee`, `assigner` and `acted_by` identify a caller by kind and id
-- (`person 12`). The columns beside them keep the name of that moment. `acted_by`: who last acknowledged, snoozed or
-- resolved it, at `acted_at` (a time of the queue); NULL: something else has changed it since. `act`: the number of the
-- alert_mark of that act; 0: the act changed this alert alone. `before_state`: the state before that act, 'snoozed' if
-- it was acknowledged for a time. `before_at`: then its `escalate_at`, otherwise its `due_at`; `before_snoozed_by`,
-- `before_snoozer`: likewise. While `assigned_until` (a time of the queue) is set, the alert is open for `assigned_to`
-- alone. `widen_at` (a time of the queue): until then, it rings only for the person on call; NULL: it rings for everyone.
CREATE TABLE alert (
  event_id          {integer} PRIMARY KEY,
  workspace_id      {integer} NOT NULL,
  channel_id        {integer} NOT NULL,
  collapse_key      {text}, -- NULL: no event joins it
  state             {text} NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'expired')),
  newest_event_id   {integer} NOT NULL,
  opened_at         {integer} NOT NULL,
  stops_at          {integer} NOT NULL,
  escalate_at       {integer},
  snoozed_until     {integer},
  snoozed_by        {text}, -- a name; counts while snoozed_until is set
  snoozer           {text},
  due_at            {integer},
  set_at            {integer},
  reminders         {integer} NOT NULL DEFAULT 0,
  reminders_from    {integer} NOT NULL DEFAULT 0,
  reminded_at       {integer},
  holder            {text},
  acknowledged_by   {text}, -- a name
  acknowledged_at   {integer},
  ended_kind        {text},
  ended_by          {text}, -- a name; NULL: not a person
  ender             {text},
  ended_at          {integer},
  posted_by         {text},
  mark              {integer} NOT NULL DEFAULT 0,
  act               {integer} NOT NULL DEFAULT 0,
  acted_by          {text},
  acted_at          {integer},
  before_state      {text} CHECK (before_state IN ('open', 'acknowledged', 'snoozed')),
  before_at         {integer},
  before_snoozed_by {text},
  before_snoozer    {text},
  reopened_by       {text}, -- a name
  reopener          {text},
  reopened_at       {integer},
  assigned_to       {text}, -- a name
  assignee          {text},
  assigned_by       {text}, -- a name
  assigner          {text},
  assigned_at       {integer},
  assigned_until    {integer},
  widen_at          {integer}
) {strict};
CREATE UNIQUE INDEX alert_live ON alert (channel_id, collapse_key)
  WHERE collapse_key IS NOT NULL AND state IN ('open', 'acknowledged');
CREATE INDEX alert_of_channel ON alert (channel_id, event_id) WHERE state IN ('open', 'acknowledged');
CREATE INDEX alert_live_of_workspace ON alert (workspace_id, event_id) WHERE state IN ('open', 'acknowledged');
CREATE INDEX alert_open ON alert (channel_id, event_id) WHERE state = 'open';
CREATE INDEX alert_widening ON alert (channel_id, widen_at) WHERE state = 'open' AND widen_at IS NOT NULL;
CREATE INDEX alert_by_workspace ON alert (workspace_id, event_id);
CREATE INDEX alert_due ON alert (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX alert_ended_by_channel ON alert (channel_id, event_id) WHERE ended_kind = 'channel';
CREATE INDEX alert_due_live ON alert (due_at) WHERE state IN ('open', 'acknowledged');
CREATE INDEX alert_due_ended ON alert (due_at) WHERE due_at IS NOT NULL AND state IN ('resolved', 'expired');
CREATE INDEX alert_due_elsewhere ON alert (due_at) WHERE due_at IS NOT NULL AND ended_kind IN ('sender', 'channel');
CREATE INDEX alert_set ON alert (set_at) WHERE due_at IS NOT NULL;
CREATE INDEX alert_of_act ON alert (act, event_id) WHERE act > 0;
CREATE INDEX alert_snoozed ON alert (event_id) WHERE snoozed_until IS NOT NULL;

-- Decisions on alerts of a channel, from `from_alert` to `to_alert`: open ones are acknowledged, or live ones end in
-- another `state`. A mark holds at once for each alert that has not followed it (`alert.mark` < `number`): the alert
-- counts as changed, and its events up to `last_event` are not sent any more. The rows follow in small steps, in the
-- order of the marks, also after a crash: the newest alert first, down to `cursor`. `channel`: its slug, because the
-- channel may be deleted meanwhile. `is_left`: 1 if rows are left after the call. `kind` 'success': the sender has
-- ended the alert, whose row has followed, and its waiting pushes expire in small steps. `state` 'open': the act number
-- `undoes` is undone for the alerts that nobody has changed since. `actor`: see `alert.acted_by`.
CREATE TABLE alert_mark (
  number        {identity},
  workspace_id  {integer} NOT NULL,
  channel_id    {integer} NOT NULL,
  channel       {text} NOT NULL,
  from_alert    {integer} NOT NULL,
  to_alert      {integer} NOT NULL,
  last_event    {integer} NOT NULL,
  state         {text} NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'expired')),
  kind          {text} NOT NULL,
  name          {text}, -- NULL: not a person
  at            {integer} NOT NULL,
  set_at        {integer} NOT NULL, -- a time of the queue
  snoozed_until {integer},
  cursor        {integer} NOT NULL, -- alerts from this one on have followed
  is_left       INTEGER NOT NULL DEFAULT 0 CHECK (is_left IN (0, 1)),
  actor         {text},
  undoes        {integer} NOT NULL DEFAULT 0
) {strict};
CREATE INDEX alert_mark_of_channel ON alert_mark (channel_id, number);

-- The channels that an alert has reached after its own, in order. `widen_at`: see `alert`.
CREATE TABLE escalation (
  event_id   {integer} NOT NULL, -- the alert's
  place      {integer} NOT NULL,
  channel_id {integer} NOT NULL,
  widen_at   {integer},
  PRIMARY KEY (event_id, place)
) {strict keyed};
CREATE INDEX escalation_to ON escalation (channel_id, event_id);
CREATE INDEX escalation_widening ON escalation (channel_id, widen_at) WHERE widen_at IS NOT NULL;

-- Channels with an open alert: when the next reminder is due (a time of the queue), and the time between two.
-- `not_for`: the person who caused it and gets none. `wide_to`: alerts whose `widen_at` is not later ring for everyone,
-- since a round did; NULL: none.
CREATE TABLE insisting (
  channel_id {integer} PRIMARY KEY,
  next_at    {integer} NOT NULL,
  repeat_ms  {integer} NOT NULL,
  not_for    {integer},
  wide_to    {integer}
) {strict};
CREATE INDEX insisting_next ON insisting (next_at);
CREATE INDEX insisting_from ON insisting ((next_at - repeat_ms));

-- Channels in which an alert rings for one person alone: looks find the pushes that this person cannot get
-- (on-call/early-widening.ts). `set_at`: when the last such push came (a time of the queue).
CREATE TABLE watched_channel (
  channel_id   {integer} PRIMARY KEY,
  workspace_id {integer} NOT NULL,
  set_at       {integer} NOT NULL
) {strict};
CREATE INDEX watched_channel_of_workspace ON watched_channel (workspace_id, channel_id);

-- Maintenance windows of channels, by the wall clock. From `from_at` on, the channel's alerts wait until a round has
-- reported what is still open. The round then removes the row, or sets the next times of a window with `cron` (each
-- lasts `length` seconds). `only_key`: a collapse key, or its beginning followed by `*`. `made_by`: a caller by its
-- kind and id, a key by its origin. `ended`: 1 if somebody ended it. `cursor`: once it is over, alerts up to this id
-- have new timers. Rows of a deleted channel wait to be removed.
CREATE TABLE maintenance (
  id           {identity},
  public_id    {text} NOT NULL UNIQUE,
  workspace_id {integer} NOT NULL,
  channel_id   {integer} NOT NULL,
  from_at      {integer} NOT NULL,
  until_at     {integer} NOT NULL,
  only_key     {text},
  note         {text},
  cron         {text},
  timezone     {text},
  length       {integer},
  made_by      {text} NOT NULL,
  name         {text} NOT NULL,
  ended        INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)),
  cursor       {integer} NOT NULL DEFAULT 0,
  created_at   {integer} NOT NULL,
  CHECK ((cron IS NULL) = (length IS NULL))
) {strict};
CREATE INDEX maintenance_of_channel ON maintenance (channel_id, from_at);
CREATE INDEX maintenance_of_workspace ON maintenance (workspace_id, from_at);
CREATE INDEX maintenance_by_end ON maintenance (until_at);
CREATE INDEX maintenance_by_start ON maintenance (from_at);

-- On-call rotas, by the wall clock. `members`: JSON list of people, in order. Handovers are at `minute` of the day, every
-- `period` days or weeks, on `weekday` (Monday is 0). `starts_on` and `anchor` are days since 1970-01-01. `first`: the
-- place of the member who was on call at `since`. `on_call_shift` is complete up to `recorded_at`. At `next_at`, somebody
-- else may be on call; NULL: never. `announced`: the person whose handover was announced last; NULL: nobody.
-- contract/on-call/rota.ts explains the rest.
CREATE TABLE rota (
  id           {identity},
  workspace_id {integer} NOT NULL,
  slug         {text} NOT NULL,
  name         {text} NOT NULL,
  timezone     {text} NOT NULL,
  members      {text} NOT NULL,
  every        {text} NOT NULL CHECK (every IN ('day', 'week')),
  period       INTEGER NOT NULL,
  weekday      INTEGER NOT NULL,
  minute       INTEGER NOT NULL,
  starts_on    {integer} NOT NULL,
  since        {integer} NOT NULL,
  anchor       {integer} NOT NULL,
  first        INTEGER NOT NULL,
  announce     INTEGER NOT NULL DEFAULT 1 CHECK (announce IN (0, 1)),
  recorded_at  {integer} NOT NULL,
  next_at      {integer},
  announced    {integer},
  created_at   {integer} NOT NULL,
  UNIQUE (workspace_id, slug)
) {strict};
CREATE INDEX rota_by_next_at ON rota (next_at) WHERE next_at IS NOT NULL;

-- The last one made wins. Overrides of people who left count as absent. Those of a deleted rota wait to be removed.
-- `made_by`: a person; NULL: an operator.
CREATE TABLE rota_override (
  id           {identity},
  public_id    {text} NOT NULL UNIQUE,
  workspace_id {integer} NOT NULL,
  rota_id      {integer} NOT NULL,
  user_id      {integer} NOT NULL,
  from_at      {integer} NOT NULL,
  until_at     {integer} NOT NULL,
  made_by      {integer},
  name         {text} NOT NULL, -- of its maker
  created_at   {integer} NOT NULL
) {strict};
CREATE INDEX rota_override_of_rota ON rota_override (rota_id, until_at);
CREATE INDEX rota_override_of_workspace ON rota_override (workspace_id, until_at);
CREATE INDEX rota_override_of_person ON rota_override (user_id, workspace_id);
CREATE INDEX rota_override_by_end ON rota_override (until_at);

-- Changes of the person on call, up to `rota.recorded_at`. People have names here, because they may be gone. `user_id`
-- NULL: nobody. Rows of a deleted rota wait to be removed.
CREATE TABLE on_call_shift (
  rota_id     {integer} NOT NULL,
  from_at     {integer} NOT NULL,
  user_id     {integer},
  email       {text},
  name        {text},
  override_id {integer},
  PRIMARY KEY (rota_id, from_at)
) {strict keyed};
CREATE INDEX on_call_shift_by_age ON on_call_shift (from_at);

-- Pushes to people about a handover or a change, written in its transaction. `notices`: JSON list, posted in steps.
CREATE TABLE on_call_notice (
  id           {identity},
  workspace_id {integer} NOT NULL,
  rota_id      {integer} NOT NULL,
  notices      {text} NOT NULL
) {strict};

-- Addresses of people's calendars. `workspaces`: JSON list of the workspaces that its session was vouched for; NULL: all.
CREATE TABLE calendar (
  user_id     {integer} PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
  secret_hash {bytes} NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  workspaces  {text},
  created_at  {integer} NOT NULL
) {strict keyed};

-- `kinds`: the events that it gets, each between spaces. `old_secret` signs too until `old_secret_ends_at`.
-- `failing_since`: since when nothing was delivered, by the wall clock, which only people read. `failing_ms`: how much of
-- that counts, summed between the failures by the queue's clock. `dropped`: messages that were given up.
-- Messages up to the id `forgotten` are not sent, and are removed in small steps; then a `deleted` webhook is removed
-- as well. Times of the queue: `rests_until`, when to retry after a failure; `busy_until`, the lease of the server that
-- sends, which ends earlier if the lease of its node (`busy_node`; 0: none) ends; `served_at`, when it last sent.
CREATE TABLE webhook (
  id                 {text} PRIMARY KEY,
  workspace_id       {integer} NOT NULL,
  url                {text} NOT NULL,
  kinds              {text} NOT NULL,
  secret             {text} NOT NULL,
  old_secret         {text},
  old_secret_ends_at {integer},
  status             {text} NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'deleted')),
  forgotten          {integer} NOT NULL DEFAULT 0,
  disabled_reason    {text},
  failures           {integer} NOT NULL DEFAULT 0,
  failing_since      {integer},
  failing_ms         {integer} NOT NULL DEFAULT 0,
  last_failure       {text},
  last_taken_at      {integer},
  dropped            {integer} NOT NULL DEFAULT 0,
  rests_until        {integer} NOT NULL DEFAULT 0,
  busy_until         {integer} NOT NULL DEFAULT 0,
  busy_node          {integer} NOT NULL DEFAULT 0,
  served_at          {integer} NOT NULL DEFAULT 0,
  created_at         {integer} NOT NULL
) {strict};
CREATE INDEX webhook_by_workspace ON webhook (workspace_id);
CREATE INDEX webhook_busy ON webhook (busy_until) WHERE busy_until > 0;
CREATE INDEX webhook_resting ON webhook (rests_until) WHERE rests_until > 0;
CREATE INDEX webhook_forgets ON webhook (id) WHERE (forgotten > 0 OR status = 'deleted');

-- Pending messages, written in the transaction that they report. They may outlive their workspace, until they are
-- removed. `message`: the id that every attempt has. Messages of one `subject` are sent in order. `data`: what the
-- receiver gets. `due_at`: a time of the queue.
CREATE TABLE webhook_message (
  id           {identity},
  webhook_id   {text} NOT NULL,
  workspace_id {integer} NOT NULL,
  message      {text} NOT NULL,
  kind         {text} NOT NULL,
  subject      {text} NOT NULL,
  data         {text} NOT NULL,
  at           {integer} NOT NULL,
  attempts     {integer} NOT NULL DEFAULT 0,
  due_at       {integer} NOT NULL DEFAULT 0
) {strict};
CREATE INDEX webhook_message_in_turn ON webhook_message (webhook_id, subject, id);
CREATE INDEX webhook_message_due ON webhook_message (webhook_id, due_at);
CREATE INDEX webhook_message_retried ON webhook_message (due_at) WHERE due_at > 0;
CREATE INDEX webhook_message_of_workspace ON webhook_message (workspace_id);
CREATE INDEX webhook_message_by_age ON webhook_message (webhook_id, id); -- thousands may wait for one endpoint

-- The queue.

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
CREATE INDEX delivery_waiting ON delivery (event_id, device_id) WHERE state = 'pending';
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

-- Records of the server about itself.

-- Deletions whose remaining rows are removed in small steps, since there may be many. A deletion removes one row, and
-- no query finds the rest from then on.
--
-- The rest of a channel: its events, queue, subscriptions, heartbeats and keys' bindings. Of a workspace: its members,
-- keys, webhooks, heartbeats, rotas, channels, test pushes and usage. Of a rota: its overrides and shifts. Of a member:
-- the rights here, the read marks, the overrides, and the devices; or, if the person is a member elsewhere, the
-- subscriptions here. Of a device: its subscriptions. `device` is also an inactive device with subscriptions that are
-- still active, or a device with subscriptions of an earlier generation.
CREATE TABLE cleanup_job (
  number       {identity},
  kind         {text} NOT NULL CHECK (kind IN ('channel', 'workspace', 'member', 'device', 'rota')),
  workspace_id {integer} NOT NULL,
  id           {integer} NOT NULL, -- the channel's, the workspace's, the person's, the device's, or the rota's
  cursor       {integer} NOT NULL DEFAULT 0, -- the last of a person's devices, or of a device's channels, that was checked
  holds        INTEGER NOT NULL DEFAULT 0 CHECK (holds IN (0, 1)) -- 1: the workspace sends nothing until the rest is removed
) {strict};
CREATE INDEX cleanup_job_of_person ON cleanup_job (id) WHERE kind = 'member';
CREATE INDEX cleanup_job_of_device ON cleanup_job (id, number) WHERE kind = 'device';
CREATE INDEX cleanup_job_holds ON cleanup_job (workspace_id) WHERE holds = 1;

-- The audit log. It has names instead of ids, because an entry outlives the things it names. `holder`: the quota that
-- the entry counts for: a workspace's (its slug), or else the person's (`:` and the name). An entry `audit.trim`
-- replaces the oldest of its holder.
CREATE TABLE audit (
  id         {identity},
  at         {integer} NOT NULL,
  actor_kind {text} NOT NULL CHECK (actor_kind IN ('operator', 'user', 'key')),
  actor      {text} NOT NULL, -- the operator's account, the user's email, or the key's name and id
  address    {text}, -- NULL: on the server itself, or by a key
  action     {text} NOT NULL, -- key.revoke
  workspace  {text}, -- its slug; NULL: of no single workspace
  object     {text} NOT NULL,
  holder     {text} GENERATED ALWAYS AS (
    coalesce(workspace, ':' || CASE action WHEN 'audit.trim' THEN object ELSE actor END)
  ) STORED
) {strict};
CREATE INDEX audit_by_holder ON audit (holder, id);
CREATE INDEX audit_of_backups ON audit (id) WHERE action = 'backup.make'; -- `status` asks for the last one

-- Signed tokens by which providers know the sender: one for each key, shared by all processes. They last for an hour,
-- or 12.
CREATE TABLE signed_token (
  name        {text} PRIMARY KEY,
  token       {text} NOT NULL,
  signed_at   {integer} NOT NULL, -- by the clock of its signer
  stored_at   {integer} NOT NULL,
  is_accepted {integer} NOT NULL
) {strict};

-- The VAPID key pair (RFC 8292), in base64url. Each browser's subscription is bound to it, so it never changes.
CREATE TABLE vapid_key (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  public_key  {text} NOT NULL,
  private_key {text} NOT NULL,
  made_at     {integer} NOT NULL
) {strict};
