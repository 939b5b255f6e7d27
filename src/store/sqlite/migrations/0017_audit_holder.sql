-- Whose growth an entry counts for: a workspace's, by its slug; for what concerns no single one, that of the person who did it,
-- `:` and the name. An entry `audit.trim` stands for what has gone of its holder's.
ALTER TABLE audit ADD COLUMN holder TEXT GENERATED ALWAYS AS (
  coalesce(workspace, ':' || CASE action WHEN 'audit.trim' THEN object ELSE actor END)
) VIRTUAL;
DROP INDEX audit_by_workspace;
CREATE INDEX audit_by_holder ON audit (holder, id);
