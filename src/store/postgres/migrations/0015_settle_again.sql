-- As `settle_claims`, for lines that may have been settled before, by a question whose answer was lost: what was, is left out, so that it
-- counts once. A target of a page has no delivery before it is settled, and a retry is its claim's until then.
CREATE FUNCTION settle_again(
  posted JSON, learned JSON, done BIGINT[], node BIGINT, given_wall_ms BIGINT, given_steady_ms BIGINT
) RETURNS SETOF BYTEA
LANGUAGE plpgsql
AS $$
DECLARE
  unsettled JSON;
BEGIN
  -- The one before may still be under way: it is waited for here.
  PERFORM 1 FROM claim WHERE id IN (SELECT (line ->> 'claim_id')::bigint FROM json_array_elements(posted) AS line) ORDER BY id FOR UPDATE;
  SELECT coalesce(json_agg(to_jsonb(line) || jsonb_build_object('device_ids', open.ids)), '[]') INTO unsettled
  FROM json_populate_recordset(NULL::verdict_line, posted) AS line CROSS JOIN LATERAL (
    SELECT array_agg(target) AS ids FROM unnest(line.device_ids) AS target
    LEFT JOIN delivery AS d ON d.event_id = line.event_id AND d.device_id = target
    WHERE CASE WHEN line.is_page THEN d.event_id IS NULL ELSE d.claim_id = line.claim_id END
  ) AS open
  WHERE open.ids IS NOT NULL;
  RETURN QUERY SELECT * FROM settle_claims(unsettled, learned, done, node, given_wall_ms, given_steady_ms);
END $$;
