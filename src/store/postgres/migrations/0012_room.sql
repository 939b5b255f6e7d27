-- Whether events can be stored is proved by a row that takes a page of its own: a disk that is full has room for a changed row, and none for
-- a page. Nothing tidies the table up, or its pages would be used again.
CREATE TABLE room (filler TEXT NOT NULL) WITH (fillfactor = 10, autovacuum_enabled = false);
ALTER TABLE room ALTER filler SET STORAGE PLAIN;
