-- What a person has read, event by event: member.read_up_to stands for all channels of the workspace, and for one level of one channel the
-- mark here where it is higher. A mark rises only to where all below it is read, but for what read_apart names.
CREATE TABLE read_mark (
  user_id      BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  channel_id   BIGINT NOT NULL,
  level        TEXT COLLATE "C" NOT NULL,
  up_to        BIGINT NOT NULL, -- id of an event
  PRIMARY KEY (user_id, channel_id, level),
  FOREIGN KEY (workspace_id, user_id) REFERENCES member (workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX read_mark_of_channel ON read_mark (channel_id);

-- Events that are read above the mark of their level and channel, or unread below it. Each goes with its event.
CREATE TABLE read_apart (
  user_id      BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  channel_id   BIGINT NOT NULL,
  level        TEXT COLLATE "C" NOT NULL,
  event_id     BIGINT NOT NULL,
  is_read      SMALLINT NOT NULL CHECK (is_read IN (0, 1)),
  PRIMARY KEY (user_id, channel_id, level, event_id),
  FOREIGN KEY (workspace_id, user_id) REFERENCES member (workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX read_apart_of_event ON read_apart (event_id, user_id);
