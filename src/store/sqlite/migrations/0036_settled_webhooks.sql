-- Webhooks that ask for it hear of each event of which no push is pending any more: of one that is sent again, each time. Not of reminders and
-- notices, nor of what belongs to no channel. A workspace without webhooks costs a look at an index for an event.
CREATE TRIGGER webhooks_hear_of_settled AFTER UPDATE OF accepted, failed, unregistered, expired, withdrawn ON event
WHEN new.kind IS NULL
  AND new.targeted <= new.accepted + new.failed + new.unregistered + new.expired + new.withdrawn
  AND old.targeted > old.accepted + old.failed + old.unregistered + old.expired + old.withdrawn
BEGIN
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT webhook.id, new.workspace_id, lower(hex(randomblob(16))), 'event.settled', 'event ' || new.id, json_object(
    'id', lower(hex(new.uuid)), 'channel', channel.slug, 'level', new.level, 'event_type', new.event_type, 'received_at', new.received_at,
    'deliveries', json_object(
      'accepted', new.accepted, 'failed', new.failed, 'unregistered', new.unregistered, 'expired', new.expired, 'withdrawn', new.withdrawn
    )
  ), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM webhook JOIN channel ON channel.id = new.channel_id
  WHERE webhook.workspace_id = new.workspace_id AND webhook.status = 'active' AND webhook.kinds LIKE '% event.settled %';
END;

-- So that what one workspace's endpoint has waiting, thousands of such messages, costs no more to look through than a few.
CREATE INDEX webhook_message_by_age ON webhook_message (webhook_id, id);
