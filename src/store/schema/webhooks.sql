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
