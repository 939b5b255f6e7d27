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

-- The channels that an alert has reached after its own, in order. `widen_at`: see `alert`. It starts again together with
-- the alert's (on-call/restarting.ts).
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
