-- A deletion takes away the row that everybody looks for, and at once nobody finds anything of it. What hangs on that row may be much, and is
-- removed in small steps: of a channel its events, queue and subscriptions; of a workspace its usage and test pushes; of a
-- member the devices, or where somebody stays a member elsewhere, their subscriptions here.
CREATE TABLE remains (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL CHECK (kind IN ('channel', 'workspace', 'member')),
  workspace_id INTEGER NOT NULL,
  id           INTEGER NOT NULL, -- the channel's, the workspace's, or the user's
  cursor       INTEGER NOT NULL DEFAULT 0, -- the last of a user's devices that was looked at
  holds        INTEGER NOT NULL DEFAULT 0 CHECK (holds IN (0, 1)) -- 1: the workspace sends nothing until it is gone
) STRICT;
CREATE INDEX remains_of_user ON remains (id) WHERE kind = 'member';
CREATE INDEX remains_that_hold ON remains (workspace_id) WHERE holds = 1;

CREATE TRIGGER channel_leaves_remains AFTER DELETE ON channel BEGIN
  INSERT INTO remains (kind, workspace_id, id) VALUES ('channel', old.workspace_id, old.id);
END;
CREATE TRIGGER workspace_leaves_remains AFTER DELETE ON workspace BEGIN
  INSERT INTO remains (kind, workspace_id, id) VALUES ('workspace', old.id, old.id);
END;
CREATE TRIGGER member_leaves_remains AFTER DELETE ON member BEGIN
  INSERT INTO remains (kind, workspace_id, id) VALUES ('member', old.workspace_id, old.user_id);
END;

-- The subscriptions of a channel that is deleted do not go with it in one step any more.
CREATE TABLE subscription_next (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  channel_id INTEGER NOT NULL, -- where there is no such channel, it waits to be removed
  device_id  INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  route      TEXT NOT NULL,
  active     INTEGER NOT NULL CHECK (active IN (0, 1)),
  UNIQUE (device_id, channel_id)
) STRICT;
INSERT INTO subscription_next SELECT number, channel_id, device_id, route, active FROM subscription;
-- The highest number that was ever given away, which may be that of a row long gone.
DELETE FROM sqlite_sequence WHERE name = 'subscription_next';
INSERT INTO sqlite_sequence (name, seq) SELECT 'subscription_next', seq FROM sqlite_sequence WHERE name = 'subscription';
DROP TABLE subscription;
ALTER TABLE subscription_next RENAME TO subscription;
CREATE INDEX subscription_on_route ON subscription (channel_id, route, active, number);

CREATE TRIGGER subscription_joins AFTER INSERT ON subscription WHEN new.active = 1 BEGIN
  INSERT INTO audience (channel_id, route, devices) VALUES (new.channel_id, new.route, 1)
    ON CONFLICT DO UPDATE SET devices = devices + 1;
END;
CREATE TRIGGER subscription_leaves AFTER DELETE ON subscription WHEN old.active = 1 BEGIN
  UPDATE audience SET devices = devices - 1 WHERE channel_id = old.channel_id AND route = old.route;
END;
CREATE TRIGGER subscription_changes AFTER UPDATE OF active, route ON subscription
WHEN (old.active <> new.active OR old.route <> new.route) AND EXISTS (SELECT 1 FROM channel WHERE id = new.channel_id) BEGIN
  UPDATE audience SET devices = devices - old.active WHERE channel_id = old.channel_id AND route = old.route;
  INSERT INTO audience (channel_id, route, devices) VALUES (new.channel_id, new.route, new.active)
    ON CONFLICT DO UPDATE SET devices = devices + new.active;
END;
