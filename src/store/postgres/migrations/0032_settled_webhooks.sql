-- Webhooks that ask for it hear of each event of which no push is pending any more: of one that is sent again, each time. Not of reminders and
-- notices, nor of what belongs to no channel. A workspace without webhooks costs a look at an index for an event.
CREATE FUNCTION webhooks_hear_of_settled() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM webhook WHERE workspace_id = new.workspace_id) THEN
    PERFORM webhooks_hear(new.workspace_id, 'event.settled', 'event ' || new.id, json_build_object(
      'id', encode(new.uuid, 'hex'), 'channel', channel.slug, 'level', new.level, 'event_type', new.event_type, 'received_at', new.received_at,
      'deliveries', json_build_object(
        'accepted', new.accepted, 'failed', new.failed, 'unregistered', new.unregistered, 'expired', new.expired, 'withdrawn', new.withdrawn
      )
    )::text) FROM channel WHERE id = new.channel_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_hear_of_settled AFTER UPDATE OF accepted, failed, unregistered, expired, withdrawn ON event FOR EACH ROW
  WHEN (
    new.kind IS NULL
    AND new.targeted <= new.accepted + new.failed + new.unregistered + new.expired + new.withdrawn
    AND old.targeted > old.accepted + old.failed + old.unregistered + old.expired + old.withdrawn
  )
  EXECUTE FUNCTION webhooks_hear_of_settled();

-- So that what one workspace's endpoint has waiting, thousands of such messages, costs no more to look through than a few.
CREATE INDEX webhook_message_by_age ON webhook_message (webhook_id, id);
