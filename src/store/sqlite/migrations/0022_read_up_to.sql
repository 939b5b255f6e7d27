-- Up to which event a person has read what their workspace posts, on all of their devices: its id. Who joins has read all that was posted
-- before, as had everybody when this column came.
ALTER TABLE member ADD COLUMN read_up_to INTEGER NOT NULL DEFAULT 0;
UPDATE member SET read_up_to = coalesce((SELECT max(id) FROM event), 0);
