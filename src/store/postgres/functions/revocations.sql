CREATE OR REPLACE FUNCTION record_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'subscription' THEN
      INSERT INTO revocation (device_id, channel_id) SELECT old.device_id, id FROM channel WHERE id = old.channel_id;
    WHEN 'device' THEN INSERT INTO revocation (device_id) VALUES (old.id);
    WHEN 'channel' THEN INSERT INTO revocation (channel_id) SELECT old.id FROM workspace WHERE id = old.workspace_id;
    WHEN 'cleanup_job' THEN INSERT INTO revocation (workspace_id) VALUES (new.workspace_id);
    WHEN 'workspace' THEN INSERT INTO revocation (workspace_id) VALUES (old.id);
    WHEN 'alert_mark' THEN INSERT INTO revocation (workspace_id) VALUES (new.workspace_id);
    WHEN 'event' THEN INSERT INTO revocation (event_id) VALUES (new.id);
  END CASE;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER subscription_ends AFTER DELETE ON subscription FOR EACH ROW EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER device_ends AFTER DELETE ON device FOR EACH ROW EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER device_moves AFTER UPDATE OF token, keys, generation ON device FOR EACH ROW
  WHEN (old.token <> new.token OR old.keys IS DISTINCT FROM new.keys OR old.generation <> new.generation)
  EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER channel_ends AFTER DELETE ON channel FOR EACH ROW EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER cleanup_job_starts_to_hold AFTER UPDATE OF holds ON cleanup_job FOR EACH ROW
  WHEN (new.holds = 1) EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER workspace_ends AFTER DELETE ON workspace FOR EACH ROW EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER workspace_pauses AFTER UPDATE OF status ON workspace FOR EACH ROW
  WHEN (old.status = 'active' AND new.status = 'suspended') EXECUTE FUNCTION record_revocation();
CREATE OR REPLACE TRIGGER event_is_cancelled AFTER UPDATE OF cancelled_at ON event FOR EACH ROW
  WHEN (new.cancelled_at IS NOT NULL) EXECUTE FUNCTION record_revocation();
-- Revokes the workspace's claimed pushes; their next claim applies the mark.
CREATE OR REPLACE TRIGGER alert_mark_is_left AFTER UPDATE OF is_left ON alert_mark FOR EACH ROW
  WHEN (new.is_left = 1) EXECUTE FUNCTION record_revocation();
