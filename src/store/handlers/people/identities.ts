import { canonicalEmail, emailProblem } from '../../../contract/names.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import { isRefusal } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { IS_MEMBER, lookups } from '../lookups.ts';
import { agedTime } from '../retention/age-mark.ts';
import { signOuts } from './sign-outs.ts';
import { vouchers } from './vouchers.ts';

interface Named {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Calls about people's identities at the operator's sign-in provider. An identity is linked to a member once, by an
 * address the provider vouches for. Afterwards only the identity counts, whatever its address.
 */
export function identities(sql: Sql) {
  const personOf = sql.value<Named, number>(`
    SELECT person.id FROM identity JOIN person ON person.id = identity.user_id
    WHERE identity.issuer = :issuer AND identity.subject = :subject AND ${IS_MEMBER}
  `);
  const memberByEmail = sql.value<{ email: string }, number>(
    `SELECT id FROM person WHERE email = :email AND ${IS_MEMBER}`,
  );
  /** Links nothing if either is linked. */
  const link = sql.run<Named & { userId: number; wallMs: number }>(`
    INSERT INTO identity (issuer, subject, user_id, linked_at)
    SELECT CAST(:issuer AS TEXT), CAST(:subject AS TEXT), CAST(:userId AS BIGINT), CAST(:wallMs AS BIGINT)
    WHERE NOT EXISTS (
      SELECT 1 FROM identity WHERE issuer = :issuer AND (subject = :subject OR user_id = CAST(:userId AS BIGINT))
    )
  `);
  const insertCode = sql.run<{ userId: number; codeHash: Buffer; expiresAtMs: number; isProof: 0 | 1 }>(`
    INSERT INTO pairing_code (user_id, code_hash, expires_at, is_proof)
    VALUES (:userId, :codeHash, :expiresAtMs, :isProof)
  `);
  const removeEnded = sql.run<{ userId: number; agedMs: number }>(
    'DELETE FROM pairing_code WHERE user_id = :userId AND expires_at <= :agedMs',
  );
  const ofPerson = sql.all<{ userId: number }, Named & { linked_at: number }>(
    'SELECT issuer, subject, linked_at FROM identity WHERE user_id = :userId ORDER BY issuer',
  );
  const unlink = sql.run<{ userId: number }>('DELETE FROM identity WHERE user_id = :userId');
  const agedAt = agedTime(sql);
  const find = lookups(sql);
  const signOut = signOuts(sql);
  const vouched = vouchers(sql);

  return {
    async pairByIdentity({ issuer, subject, email: given, codeHash: hex, lifeMs, isProof }, { wallMs }) {
      const codeHash = Buffer.from(hex, 'hex');
      const pair = async (userId: number) => {
        await removeEnded({ userId, agedMs: await agedAt(wallMs) });
        await insertCode({ userId, codeHash, expiresAtMs: wallMs + lifeMs, isProof: isProof ? 1 : 0 });
        await vouched.giveEverything({ column: 'code', id: codeHash }, userId);
      };
      const known = await personOf({ issuer, subject });
      if (known !== undefined) {
        await pair(known);
        return { kind: 'known' };
      }
      const email = given === null ? null : canonicalEmail(given);
      if (email === null || emailProblem(email) !== null) return { kind: 'unknown' };
      const userId = await memberByEmail({ email });
      if (userId === undefined) return { kind: 'not_member' };
      if ((await link({ issuer, subject, userId, wallMs })) === 0) return { kind: 'linked_already' };
      await pair(userId);
      return { kind: 'linked' };
    },

    async listIdentities({ email }) {
      const user = await find.user(email);
      if (isRefusal(user)) return user;
      const rows = await ofPerson({ userId: user.id });
      return rows.map(({ linked_at, ...named }) => ({ ...named, linked_at: toTimestamp(linked_at) }));
    },

    async unlinkIdentities({ email, unlinked: before = 0, closed: closedBefore = 0 }) {
      const user = await find.user(email);
      if (isRefusal(user)) return user;
      const unlinked = before + (await unlink({ userId: user.id }));
      if (unlinked === 0) return { email: user.email, unlinked, closed: 0 };
      const ended = await signOut.entirely(user.id);
      return { email: user.email, unlinked, ...ended, closed: closedBefore + ended.closed };
    },
  } satisfies SomeHandlers;
}
