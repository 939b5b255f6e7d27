-- Targets of one event with the same verdict; of claims, those of one claim.
CREATE TYPE verdict_line AS (
  event_id BIGINT, claim_id BIGINT, is_page BOOLEAN, workspace_id BIGINT, channel_id BIGINT, route TEXT, lane TEXT, home BIGINT,
  state TEXT, reason TEXT, spent SMALLINT, retry_in_ms BIGINT, fitted BOOLEAN, links_lost BOOLEAN, device_ids BIGINT[]
);
