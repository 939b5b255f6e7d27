CREATE OR REPLACE FUNCTION add_cleanup_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'channel' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('channel', old.workspace_id, old.id);
    WHEN 'workspace' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('workspace', old.id, old.id);
    WHEN 'member' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('member', old.workspace_id, old.user_id);
  END CASE;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER channel_deletion_adds_job AFTER DELETE ON channel FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
CREATE OR REPLACE TRIGGER workspace_deletion_adds_job AFTER DELETE ON workspace FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
CREATE OR REPLACE TRIGGER member_deletion_adds_job AFTER DELETE ON member FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
