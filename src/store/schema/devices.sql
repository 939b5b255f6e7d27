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
