-- Records of the server about itself.

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

-- The wall clock as retention follows it: rows are old by this time while the clock is more than a day ahead of it.
-- `held_ms`: how long servers have worked since then. After a day, the clock counts as right (retention/age-mark.ts).
-- `seen_at`: up to when that time is counted, by the wall clock.
CREATE TABLE age_mark (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  wall_at {integer} NOT NULL,
  held_ms {integer} NOT NULL DEFAULT 0,
  seen_at {integer} NOT NULL
) {strict};

-- How far the queue's time is behind the wall clock: what that clock has skipped while servers ran. No row: nothing.
CREATE TABLE queue_clock (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  skipped_ms {integer} NOT NULL
) {strict};

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
