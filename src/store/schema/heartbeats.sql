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
