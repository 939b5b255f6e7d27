CREATE OR REPLACE FUNCTION leave_remains() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'channel' THEN INSERT INTO remains (kind, workspace_id, id) VALUES ('channel', old.workspace_id, old.id);
    WHEN 'workspace' THEN INSERT INTO remains (kind, workspace_id, id) VALUES ('workspace', old.id, old.id);
    WHEN 'member' THEN INSERT INTO remains (kind, workspace_id, id) VALUES ('member', old.workspace_id, old.user_id);
  END CASE;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER channel_leaves_remains AFTER DELETE ON channel FOR EACH ROW EXECUTE FUNCTION leave_remains();
CREATE OR REPLACE TRIGGER workspace_leaves_remains AFTER DELETE ON workspace FOR EACH ROW EXECUTE FUNCTION leave_remains();
CREATE OR REPLACE TRIGGER member_leaves_remains AFTER DELETE ON member FOR EACH ROW EXECUTE FUNCTION leave_remains();
