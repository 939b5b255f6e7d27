-- Nothing of these claims was sent: pages are free for whoever comes first, and retries are due as before.
CREATE FUNCTION release_claims(ids BIGINT[]) RETURNS VOID LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE delivery SET claim_id = NULL FROM claim
  WHERE claim.id = ANY (ids) AND claim.from_number = claim.to_number
    AND delivery.event_id = claim.event_id AND delivery.claim_id = claim.id AND delivery.state = 'pending';
  DELETE FROM claim WHERE id = ANY (ids) AND from_number = to_number;
  UPDATE claim SET node_id = NULL WHERE id = ANY (ids);
END $$;

-- What it had out is free for the others. A claim that it is just making is waited for, and then freed as well.
CREATE FUNCTION bury_node(dead BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  had_out BIGINT[];
BEGIN
  DELETE FROM node WHERE id = dead;
  SELECT array_agg(id) INTO had_out FROM claim WHERE node_id = dead;
  IF had_out IS NOT NULL THEN PERFORM release_claims(had_out); END IF;
END $$;

-- Renews a lease that is not over yet, and buries the nodes whose lease is.
CREATE FUNCTION beat_node(living BIGINT, lease_ms BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  now_ms CONSTANT BIGINT := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  dead BIGINT;
BEGIN
  UPDATE node SET lease_end = now_ms + lease_ms WHERE id = living AND lease_end > now_ms;
  FOR dead IN SELECT id FROM node WHERE lease_end <= now_ms FOR UPDATE SKIP LOCKED LOOP
    PERFORM bury_node(dead);
  END LOOP;
END $$;
