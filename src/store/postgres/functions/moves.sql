-- Of each table's changes, from then on: a process that still has this schema open promises nothing more.
CREATE OR REPLACE FUNCTION refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = (SELECT 'everything was moved to ' || place FROM moved);
END $$;
