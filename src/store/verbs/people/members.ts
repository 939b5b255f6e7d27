import { canonicalEmail, displayNameProblem, emailProblem, fieldProblem } from '../../../contract/names.ts';
import type { Role } from '../../../push.ts';
import { toTimestamp } from '../../../timestamp.ts';
import { isRefusal, type Member } from '../../calls.ts';
import { invalidField, memberExists, stillLeaving } from '../../refusals.ts';
import { roleRules } from '../../role-rules.ts';
import { STEP_ROWS } from '../../sqlite/retention/drains.ts';
import { remainsDrain } from '../../sqlite/retention/remains.ts';
import type { Db, Handlers, StoreSettings } from '../../sqlite/transaction.ts';
import { caps } from '../caps.ts';
import { lookups } from '../lookups.ts';
import { signOuts } from './sign-outs.ts';

interface Place {
  readonly workspaceId: number;
  readonly userId: number;
}

export function members(
  db: Db,
  settings: StoreSettings,
): Handlers<'addMember' | 'listMembers' | 'renameUser' | 'setMemberRole' | 'removeMember' | 'createPairingCode'> {
  /** Somebody who is known from another workspace keeps the name, and the password unless there is a new one. */
  const upsertUser = db.prepare<
    { email: string; name: string; password: string | null; wallMs: number },
    { id: number; name: string }
  >(`
    INSERT INTO user (email, name, password, created_at) VALUES (:email, :name, :password, :wallMs)
    ON CONFLICT DO UPDATE SET password = coalesce(excluded.password, password) RETURNING id, name
  `);
  const insert = db.prepare<Place & { role: Role; wallMs: number }>(`
    INSERT INTO member (workspace_id, user_id, role, created_at) VALUES (:workspaceId, :userId, :role, :wallMs)
  `);
  const roleByEmail = db
    .prepare<[number, string], Role>(`
      SELECT member.role FROM member JOIN user ON user.id = member.user_id
      WHERE member.workspace_id = ? AND user.email = ?
    `)
    .pluck();
  const rename = db.prepare<[string, number]>('UPDATE user SET name = ? WHERE id = ?');
  const setRole = db.prepare<Place & { role: Role }>(
    'UPDATE member SET role = :role WHERE workspace_id = :workspaceId AND user_id = :userId',
  );
  const all = db.prepare<[number], Member>(`
    SELECT user.email, user.name, member.role FROM member JOIN user ON user.id = member.user_id
    WHERE member.workspace_id = ? ORDER BY user.email
  `);
  const remove = db
    .prepare<Place, Role>('DELETE FROM member WHERE workspace_id = :workspaceId AND user_id = :userId RETURNING role')
    .pluck();
  const isMemberSomewhere = db.prepare<[number], 1>('SELECT 1 FROM member WHERE user_id = ? LIMIT 1').pluck();
  /** What they had is not gone yet: here, or everywhere. */
  const isLeaving = db
    .prepare<{ email: string; workspaceId: number }, 1>(`
      SELECT 1 FROM user JOIN remains ON remains.kind = 'member' AND remains.id = user.id
      WHERE user.email = :email AND (remains.workspace_id = :workspaceId
        OR NOT EXISTS (SELECT 1 FROM member WHERE member.user_id = user.id))
    `)
    .pluck();
  const voidCodes = db.prepare<[number]>('DELETE FROM pairing_code WHERE user_id = ?');
  const insertCode = db.prepare<{ userId: number; codeHash: Buffer; expiresAtMs: number }>(
    'INSERT INTO pairing_code (user_id, code_hash, expires_at) VALUES (:userId, :codeHash, :expiresAtMs)',
  );
  /** Where not all is gone by then. */
  const holdBack = db.prepare<Place>(
    `UPDATE remains SET holds = 1 WHERE kind = 'member' AND id = :userId AND workspace_id = :workspaceId`,
  );
  const removeRemains = remainsDrain(db);
  const cap = caps(db, settings);
  const find = lookups(db);
  const signOut = signOuts(db);
  const banOf = roleRules(db);

  return {
    addMember({ workspace: slug, email: givenEmail, name, role, password }, { wallMs }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const email = canonicalEmail(givenEmail);
      const problem =
        fieldProblem('email', emailProblem(email)) ?? fieldProblem('name', displayNameProblem(name ?? email));
      if (problem !== null) return invalidField(problem);
      const held = roleByEmail.get(workspace.id, email);
      if (held !== undefined) return memberExists(email, slug, held);
      if (isLeaving.get({ email, workspaceId: workspace.id }) === 1) return stillLeaving(email);
      const full = cap.member(workspace);
      if (full !== null) return full;
      const user = upsertUser.get({ email, name: name ?? email, password: password ?? null, wallMs });
      if (user === undefined) throw new Error('an upsert returns its row');
      if (password !== undefined) signOut.entirely(user.id);
      insert.run({ workspaceId: workspace.id, userId: user.id, role, wallMs });
      return { email, name: user.name, role };
    },

    listMembers({ workspace: slug }) {
      const workspace = find.workspace(slug);
      return isRefusal(workspace) ? workspace : all.all(workspace.id);
    },

    renameUser({ email, name }) {
      const user = find.user(email);
      if (isRefusal(user)) return user;
      const problem = fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      rename.run(name, user.id);
      return { email: user.email, name };
    },

    setMemberRole({ workspace: slug, email, role, askedBy }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = find.member(workspace, email);
      if (isRefusal(user)) return user;
      const place = { workspaceId: workspace.id, userId: user.id };
      const ban = banOf({ ...place, askedBy, becomes: role });
      if (ban !== null) return ban;
      setRole.run({ ...place, role });
      return { email: user.email, name: user.name, role };
    },

    removeMember({ workspace: slug, email, askedBy }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = find.member(workspace, email);
      if (isRefusal(user)) return user;
      const place = { workspaceId: workspace.id, userId: user.id };
      const ban = banOf({ ...place, askedBy, becomes: null });
      if (ban !== null) return ban;
      const role = remove.get(place) ?? 'member';
      if (isMemberSomewhere.get(user.id) === undefined) signOut.entirely(user.id);
      removeRemains(STEP_ROWS);
      holdBack.run(place);
      return { email: user.email, name: user.name, role };
    },

    createPairingCode({ email, codeHash, lifeMs }, { wallMs }) {
      const user = find.user(email);
      if (isRefusal(user)) return user;
      voidCodes.run(user.id);
      const expiresAtMs = wallMs + lifeMs;
      insertCode.run({ userId: user.id, codeHash: Buffer.from(codeHash, 'hex'), expiresAtMs });
      return { email: user.email, expires_at: toTimestamp(expiresAtMs) };
    },
  };
}
