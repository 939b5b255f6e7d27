-- Rejects all changes to a store that was moved. The move adds it to each table as a trigger, so that a process with
-- this schema still open accepts nothing more.
CREATE OR REPLACE FUNCTION refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = (SELECT 'everything was moved to ' || place FROM moved);
END $$;
