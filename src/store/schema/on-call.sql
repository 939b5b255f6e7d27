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
