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
