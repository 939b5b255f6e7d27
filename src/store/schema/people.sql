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
