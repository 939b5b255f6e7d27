import { canonicalEmail } from '../../../contract/names.ts';
import { isRefusal } from '../../calls.ts';
import { conflict } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { IS_MEMBER, lookups } from '../lookups.ts';
import { signOuts } from './sign-outs.ts';
import { vouchers } from './vouchers.ts';

/** Reads and stores hashed passwords: hashing is slow, and happens elsewhere. */
export function passwords(sql: Sql) {
  const byEmail = sql.get<{ email: string }, { userId: number; password: string | null }>(
    `SELECT id AS "userId", password FROM person WHERE email = :email AND ${IS_MEMBER}`,
  );
  const set = sql.run<{ id: number; password: string }>('UPDATE person SET password = :password WHERE id = :id');
  const replace = sql.value<{ userId: number; current: string | null; password: string }, string>(`
    UPDATE person SET password = :password WHERE id = :userId AND password IS NOT DISTINCT FROM :current RETURNING email
  `);
  const find = lookups(sql);
  const signOut = signOuts(sql);
  const vouched = vouchers(sql);

  return {
    findUser: async ({ email }) => (await byEmail({ email: canonicalEmail(email) })) ?? null,

    async changePassword({ userId, tokenHash, current, password, closed: before = 0 }) {
      const email = await replace({ userId, current, password });
      if (email === undefined) return conflict('password_moved');
      const session = Buffer.from(tokenHash, 'hex');
      const holder = { column: 'password_of', id: userId } as const;
      // Knowing the old password gives its vouchers, so the new one keeps them.
      if (current === null) await vouched.takeAll(holder);
      await vouched.pass({ column: 'session', id: session }, holder);
      const ended = await signOut.elsewhere(userId, session);
      return { email, ...ended, closed: before + ended.closed };
    },

    async setPassword({ email, password, closed: before = 0 }) {
      const user = await find.user(email);
      if (isRefusal(user)) return user;
      await set({ id: user.id, password });
      const holder = { column: 'password_of', id: user.id } as const;
      await vouched.takeAll(holder);
      await vouched.giveEverything(holder, user.id);
      const ended = await signOut.entirely(user.id);
      return { email: user.email, ...ended, closed: before + ended.closed };
    },
  } satisfies SomeHandlers;
}
