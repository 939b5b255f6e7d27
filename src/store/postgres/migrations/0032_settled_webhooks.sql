-- So that what one workspace's endpoint has waiting, thousands of such messages, costs no more to look through than a few.
CREATE INDEX webhook_message_by_age ON webhook_message (webhook_id, id);
