-- Workspaces, their channels, API keys, heartbeats and webhooks. `workspace_id` is never a foreign key: a deletion
-- removes the row of the workspace, and the rest follows in small steps (cleanup_job). So code that finds a row other
-- than by its workspace checks that the workspace still exists.

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
-- may be deleted by then. `quiet`: when standard events make no sound, JSON (contract/ringing.ts); NULL: never.
-- `rings`: how often the channel rings at most, JSON (contract/ringing.ts); NULL: no limit. `reminders`: how often it has
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
