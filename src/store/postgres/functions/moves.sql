-- Rejects all changes to a moved store. A trigger on each table, so processes that still use the schema accept nothing.
CREATE OR REPLACE FUNCTION refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = (SELECT 'everything was moved to ' || place FROM moved);
END $$;
