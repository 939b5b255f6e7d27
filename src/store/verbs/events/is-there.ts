/** What was posted to a channel that is deleted is deleted as well, even where its row is still there (remains.ts). */
export const IS_THERE =
  '(event.channel_id IS NULL OR EXISTS (SELECT 1 FROM channel WHERE channel.id = event.channel_id))';
