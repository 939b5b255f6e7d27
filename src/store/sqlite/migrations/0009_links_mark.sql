-- What the links of a repeated request are compared with: keyed with what no disk has (src/http/links-mark.ts). NULL: nothing.
ALTER TABLE event ADD COLUMN links_mark TEXT;
