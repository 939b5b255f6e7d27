import { canonicalEmail } from '../../../contract/names.ts';
import { isRefusal } from '../../calls.ts';
import { passwordMoved } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { IS_MEMBER, lookups } from '../lookups.ts';
import { signOuts } from './sign-outs.ts';

/** Passwords come and go as they are stored: hashing and verifying take long and happen elsewhere. */
export function passwords(db: Db): Handlers<'findUser' | 'changePassword' | 'setPassword'> {
  const byEmail = db.prepare<[string], { userId: number; password: string | null }>(
    `SELECT id AS userId, password FROM user WHERE email = ? AND ${IS_MEMBER}`,
  );
  const set = db.prepare<[string, number]>('UPDATE user SET password = ? WHERE id = ?');
  const replace = db
    .prepare<{ userId: number; current: string | null; password: string }, string>(
      'UPDATE user SET password = :password WHERE id = :userId AND password IS :current RETURNING email',
    )
    .pluck();
  const find = lookups(db);
  const signOut = signOuts(db);

  return {
    findUser: ({ email }) => byEmail.get(canonicalEmail(email)) ?? null,

    changePassword({ userId, tokenHash, current, password }) {
      const email = replace.get({ userId, current, password });
      return email === undefined ? passwordMoved() : { email, closed: signOut.elsewhere(userId, tokenHash) };
    },

    setPassword({ email, password }) {
      const user = find.user(email);
      if (isRefusal(user)) return user;
      set.run(password, user.id);
      return { email: user.email, closed: signOut.entirely(user.id) };
    },
  };
}
