-- What a session, a pairing code or a password is vouched for: its person's rights in one workspace, or in all of them
-- (`workspace_id` NULL), as far as `role`. A row belongs to one of the three. `vouched_by`: the manager whose code it
-- came with; NULL: an operator's, or it is older than this table.
CREATE TABLE voucher (
  user_id      INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  session      BLOB REFERENCES session (token_hash) ON DELETE CASCADE,
  code         BLOB REFERENCES pairing_code (code_hash) ON DELETE CASCADE,
  password_of  INTEGER REFERENCES person (id) ON DELETE CASCADE,
  workspace_id INTEGER,
  role         TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  vouched_by   INTEGER REFERENCES person (id) ON DELETE SET NULL,
  FOREIGN KEY (workspace_id, user_id) REFERENCES member (workspace_id, user_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX voucher_of_session ON voucher (session, workspace_id) WHERE session IS NOT NULL;
CREATE INDEX voucher_of_code ON voucher (code) WHERE code IS NOT NULL;
CREATE INDEX voucher_of_password ON voucher (password_of) WHERE password_of IS NOT NULL;
CREATE INDEX voucher_of_member ON voucher (user_id, workspace_id);
CREATE INDEX voucher_by ON voucher (vouched_by) WHERE vouched_by IS NOT NULL;

-- Assumed of what is older: somebody vouched for the workspaces and roles that its person has now, and for no others.
INSERT INTO voucher (user_id, session, workspace_id, role)
  SELECT session.user_id, token_hash, workspace_id, role FROM session JOIN member ON member.user_id = session.user_id;
INSERT INTO voucher (user_id, password_of, workspace_id, role)
  SELECT person.id, person.id, workspace_id, role FROM person JOIN member ON member.user_id = person.id
  WHERE password IS NOT NULL;

-- Codes live for minutes: those on their way are made anew. None is made without a proof any more, so that each
-- confirms. `made_in`: the session that made it for its own person, with which it ends.
DELETE FROM pairing_code;
ALTER TABLE pairing_code DROP COLUMN confirms;
ALTER TABLE pairing_code ADD COLUMN made_in BLOB REFERENCES session (token_hash) ON DELETE CASCADE;
CREATE INDEX pairing_code_made_in ON pairing_code (made_in) WHERE made_in IS NOT NULL;
