import { canonicalEmail, displayName, displayNameProblem } from '../../../contract/names.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Passkey, PasskeyAnswer } from '../../calls/sessions.ts';
import { isRefusal } from '../../calls.ts';
import { conflict, invalidField, notFound } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { IS_MEMBER, lookups } from '../lookups.ts';
import { agedTime } from '../retention/age-mark.ts';
import { signOuts } from './sign-outs.ts';
import { isCovered, vouchers } from './vouchers.ts';

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

interface PasskeyRow {
  readonly id: Buffer;
  readonly user_id: number;
  readonly credential: Buffer;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly rp_id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

const MAX_PASSKEYS = 20;
/** Bounds a call's cleanup. */
const REMOVED_PER_CALL = 100;

export function passkeys(sql: Sql) {
  const insert = sql.run<Omit<PasskeyRow, 'last_used_at'>>(`
    INSERT INTO passkey (id, user_id, credential, public_key, counter, rp_id, name, created_at)
    VALUES (:id, :user_id, :credential, :public_key, :counter, :rp_id, :name, :created_at)
    ON CONFLICT (id) DO NOTHING
  `);
  const count = sql.value<{ userId: number }, number>('SELECT count(*) FROM passkey WHERE user_id = :userId');
  const byId = sql.get<{ id: Buffer }, PasskeyRow>('SELECT * FROM passkey WHERE id = :id');
  const covered = sql.all<{ userId: number; session: Buffer }, PasskeyRow>(`
    SELECT * FROM passkey WHERE user_id = :userId
      AND ${isCovered('held.passkey = passkey.id', 'own.session = :session')}
    ORDER BY created_at, id
  `);
  const remove = sql.run<{ id: Buffer }>('DELETE FROM passkey WHERE id = :id');
  const { spend } = challenges(sql);
  const vouched = vouchers(sql);

  return {
    async addPasskey({ userId, tokenHash, credential, publicKey, counter, rpId, name, ...challenge }, { wallMs }) {
      const problem = displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      if (((await count({ userId })) ?? 0) >= MAX_PASSKEYS)
        return conflict('too_many_passkeys', { most: MAX_PASSKEYS });
      if (!(await spend(challenge, wallMs))) return conflict('passkey_late');
      const row = {
        id: Buffer.from(challenge.passkeyId, 'hex'),
        user_id: userId,
        credential: Buffer.from(credential, 'base64url'),
        public_key: Buffer.from(publicKey, 'base64url'),
        counter,
        rp_id: rpId,
        name: displayName(name),
        created_at: wallMs,
      };
      if ((await insert(row)) === 0) return conflict('passkey_known');
      await vouched.pass({ column: 'session', id: Buffer.from(tokenHash, 'hex') }, { column: 'passkey', id: row.id });
      return showPasskey({ ...row, last_used_at: null });
    },

    async findPasskey({ passkeyId }) {
      const row = await byId({ id: Buffer.from(passkeyId, 'hex') });
      if (row === undefined) return null;
      const { user_id: userId, counter, rp_id: rpId } = row;
      return { userId, publicKey: row.public_key.toString('base64url'), counter, rpId };
    },

    async listPasskeys({ userId, tokenHash }) {
      return (await covered({ userId, session: Buffer.from(tokenHash, 'hex') })).map(showPasskey);
    },

    async removePasskey({ userId, tokenHash, id }) {
      const rows = await covered({ userId, session: Buffer.from(tokenHash, 'hex') });
      const row = rows.find((passkey) => idOf(passkey) === id);
      if (row === undefined) return notFound('no_passkey', { passkey: id });
      await remove({ id: row.id });
      return showPasskey(row);
    },
  } satisfies SomeHandlers;
}

/** Accepts a passkey's signed challenge once, and only with a growing counter. */
export function passkeyProofs(sql: Sql) {
  const used = sql.value<{ id: Buffer; counter: number; wallMs: number }, number>(`
    UPDATE passkey SET counter = :counter, last_used_at = :wallMs
    WHERE id = :id AND (counter < :counter OR (counter = 0 AND CAST(:counter AS BIGINT) = 0)) RETURNING user_id
  `);
  const { spend } = challenges(sql);
  return {
    /** Returns the passkey's person; null: the answer does not count. */
    async take({ passkeyId, counter, ...challenge }: PasskeyAnswer, wallMs: number): Promise<number | null> {
      if (!(await spend(challenge, wallMs))) return null;
      return (await used({ id: Buffer.from(passkeyId, 'hex'), counter, wallMs })) ?? null;
    },
  };
}

function challenges(sql: Sql) {
  const insert = sql.run<{ hash: Buffer; expiresAtMs: number }>(`
    INSERT INTO spent_challenge (hash, expires_at) VALUES (:hash, :expiresAtMs) ON CONFLICT (hash) DO NOTHING
  `);
  const removeEnded = sql.run<{ agedMs: number }>(`
    DELETE FROM spent_challenge WHERE hash IN (
      SELECT hash FROM spent_challenge WHERE expires_at <= CAST(:agedMs AS BIGINT) LIMIT ${REMOVED_PER_CALL}
    )
  `);
  const agedAt = agedTime(sql);
  return {
    /** Returns whether the challenge is valid and unspent. */
    async spend(
      { challengeHash, challengeEndsMs }: Pick<PasskeyAnswer, 'challengeHash' | 'challengeEndsMs'>,
      wallMs: number,
    ): Promise<boolean> {
      await removeEnded({ agedMs: await agedAt(wallMs) });
      if (challengeEndsMs <= wallMs) return false;
      return (await insert({ hash: Buffer.from(challengeHash, 'hex'), expiresAtMs: challengeEndsMs })) === 1;
    },
  };
}

function showPasskey(row: PasskeyRow): Passkey {
  return {
    id: idOf(row),
    credential: row.credential.toString('base64url'),
    name: row.name,
    created_at: toTimestamp(row.created_at),
    last_used_at: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
  };
}

function idOf({ id }: Pick<PasskeyRow, 'id'>): string {
  return id.toString('hex').slice(0, 12);
}
