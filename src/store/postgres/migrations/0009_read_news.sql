-- As before, without a setting that plans depend on: read as a whole, a table without a fitting index costs 10^10 beside
-- `enable_seqscan = off`, and PostgreSQL compiles what costs so much, for a hundred times as long as it takes.
CREATE OR REPLACE FUNCTION read_news(reader BIGINT, ends_after BIGINT)
RETURNS TABLE (numbers JSON, living BIGINT, work_waits BOOLEAN, ends JSON)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN QUERY
  SELECT (SELECT coalesce(json_object_agg(topic, number), '{}') FROM news),
    (SELECT count(*) FROM node WHERE lease_end > (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
    work_waits(reader),
    (SELECT json_agg(json_build_object(
      'workspaceId', workspace_id, 'deviceId', device_id, 'channelId', channel_id, 'eventId', event_id
    )) FROM told_end WHERE id > ends_after);
END $$;
ALTER FUNCTION read_news RESET ALL;
