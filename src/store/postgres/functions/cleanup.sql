CREATE OR REPLACE FUNCTION add_cleanup_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'channel' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('channel', old.workspace_id, old.id);
    WHEN 'workspace' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('workspace', old.id, old.id);
    WHEN 'member' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('member', old.workspace_id, old.user_id);
    WHEN 'rota' THEN INSERT INTO cleanup_job (kind, workspace_id, id) VALUES ('rota', old.workspace_id, old.id);
  END CASE;
  RETURN NULL;
END $$;
-- At most 16 subscriptions follow a deleted device at once, 8 an inactive one: providers may report many. A job does
-- the rest.
CREATE OR REPLACE FUNCTION end_subscriptions() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM subscription WHERE ctid = ANY (ARRAY(SELECT ctid FROM subscription WHERE device_id = old.id LIMIT 16));
    INSERT INTO cleanup_job (kind, workspace_id, id) SELECT 'device', 0, old.id WHERE EXISTS (SELECT 1 FROM subscription WHERE device_id = old.id);
  ELSE
    UPDATE subscription SET active = 0
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM subscription WHERE device_id = old.id AND active = 1 LIMIT 8));
    INSERT INTO cleanup_job (kind, workspace_id, id)
    SELECT 'device', 0, old.id WHERE EXISTS (SELECT 1 FROM subscription WHERE device_id = old.id AND active = 1);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER device_leaves AFTER DELETE ON device FOR EACH ROW EXECUTE FUNCTION end_subscriptions();
CREATE OR REPLACE TRIGGER device_falls_silent AFTER UPDATE OF status ON device FOR EACH ROW
  WHEN (old.status = 'active' AND new.status = 'inactive') EXECUTE FUNCTION end_subscriptions();

CREATE OR REPLACE TRIGGER channel_deletion_adds_job AFTER DELETE ON channel FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
CREATE OR REPLACE TRIGGER workspace_deletion_adds_job AFTER DELETE ON workspace FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
CREATE OR REPLACE TRIGGER member_deletion_adds_job AFTER DELETE ON member FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
CREATE OR REPLACE TRIGGER rota_deletion_adds_job AFTER DELETE ON rota FOR EACH ROW EXECUTE FUNCTION add_cleanup_job();
