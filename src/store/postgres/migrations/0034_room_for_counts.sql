-- An event's counts change once for each route and page. Where the page of the table has room for the new row, none of its twelve indexes gets
-- an entry for it. Events that come one after the other are settled one after the other, so each of a page needs a place beside its own.
ALTER TABLE event SET (fillfactor = 50);
