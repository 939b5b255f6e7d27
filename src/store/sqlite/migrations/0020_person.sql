-- `user` is a keyword of SQL.
ALTER TABLE user RENAME TO person;
