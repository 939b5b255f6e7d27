import { toTimestamp } from '../../../values/timestamp.ts';
import { type Actor, isRefusal, type Refusal } from '../../calls.ts';
import { forbidden, providerFirst } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type UserRow } from '../lookups.ts';
import { roleRules } from './role-rules.ts';
import { type Holder, isCovered, sessionOf, vouchers } from './vouchers.ts';

const MAKERS_END = `
  SELECT maker.expires_at FROM pairing_code JOIN session AS maker ON maker.token_hash = pairing_code.made_in
  WHERE pairing_code.code_hash = :codeHash`;

/** Makes codes, and redeems those of signed-in people. `sessions.ts` opens sessions by codes. */
export function pairingCodes(sql: Sql, { sessions: { isProviderOnly } }: StoreSettings) {
  const insert = sql.run<{ userId: number; codeHash: Buffer; expiresAtMs: number; madeIn: Buffer | null }>(`
    INSERT INTO pairing_code (user_id, code_hash, expires_at, made_in)
    VALUES (:userId, :codeHash, :expiresAtMs, :madeIn)
  `);
  /** Codes that give more stay: managers cannot void what they could not make. */
  const voidEarlier = sql.run<{ userId: number; codeHash: Buffer }>(`
    DELETE FROM pairing_code WHERE user_id = :userId AND code_hash <> :codeHash
      AND ${isCovered('held.code = pairing_code.code_hash', 'own.code = :codeHash')}
  `);
  const ownCode = sql.value<{ codeHash: Buffer; userId: number; wallMs: number }, 1>(
    'SELECT 1 FROM pairing_code WHERE code_hash = :codeHash AND user_id = :userId AND expires_at > :wallMs',
  );
  /** A session ends with the one that made its code, even if longer-lived. */
  const endWithMaker = sql.run<{ session: Buffer; codeHash: Buffer }>(`
    UPDATE session SET expires_at = (${MAKERS_END}) WHERE token_hash = :session AND expires_at > (${MAKERS_END})
  `);
  const spend = sql.run<{ codeHash: Buffer }>('DELETE FROM pairing_code WHERE code_hash = :codeHash');
  const find = lookups(sql);
  const bans = roleRules(sql);
  const vouched = vouchers(sql);

  /** Gives the code what its maker can vouch for; refuses if nothing. */
  async function vouch(
    code: Holder,
    { id: userId, email }: UserRow,
    slug: string | undefined,
    actor: Actor | undefined,
  ): Promise<Refusal | null> {
    if (actor?.kind !== 'user') {
      await vouched.giveEverything(code, userId);
      return null;
    }
    const maker = await bans.personOf(actor);
    if (slug === undefined) {
      if (maker !== userId) return forbidden('more_rights', { email });
      await vouched.pass({ column: 'session', id: sessionOf(actor) }, code);
      return null;
    }
    const workspace = await find.workspace(slug);
    if (isRefusal(workspace)) return workspace;
    const role = await bans.vouchingFor({ workspaceId: workspace.id, userId, actor });
    if (role === null) return forbidden('more_rights', { email });
    await vouched.give(code, { userId, workspaceId: workspace.id, role, vouchedBy: maker });
    return null;
  }

  return {
    async createPairingCode({ workspace: slug, email, codeHash: hex, lifeMs }, { wallMs }, actor) {
      const user = await find.userIn(slug, email);
      if (isRefusal(user)) return user;
      // Otherwise managers removed at the provider could let themselves in forever.
      const isMember = actor?.kind === 'user';
      if (isProviderOnly && isMember && !(await vouched.isForEverything(sessionOf(actor)))) return providerFirst();
      const codeHash = Buffer.from(hex, 'hex');
      const expiresAtMs = wallMs + lifeMs;
      const madeIn = isMember && slug === undefined ? sessionOf(actor) : null;
      await insert({ userId: user.id, codeHash, expiresAtMs, madeIn });
      const ban = await vouch({ column: 'code', id: codeHash }, user, slug, actor);
      if (ban !== null) {
        await spend({ codeHash });
        return ban;
      }
      await voidEarlier({ userId: user.id, codeHash });
      return { email: user.email, expires_at: toTimestamp(expiresAtMs) };
    },

    async addVouchers({ tokenHash, userId, codeHash: hex }, { wallMs }) {
      const codeHash = Buffer.from(hex, 'hex');
      if ((await ownCode({ codeHash, userId, wallMs })) === undefined) return null;
      const session = Buffer.from(tokenHash, 'hex');
      await vouched.pass({ column: 'code', id: codeHash }, { column: 'session', id: session });
      if (isProviderOnly) await endWithMaker({ session, codeHash });
      await spend({ codeHash });
      return true;
    },
  } satisfies SomeHandlers;
}
