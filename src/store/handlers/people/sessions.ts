import { toTimestamp } from '../../../values/timestamp.ts';
import {
  type ArgsOf,
  type Identity,
  isRefusal,
  type Membership,
  type NewSession,
  type Session,
  type SignedIn,
} from '../../calls.ts';
import { forbidden, noSession } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { agedTime } from '../retention/age-mark.ts';
import { passkeyProofs } from './credentials.ts';
import { roleRules } from './role-rules.ts';
import { signOuts } from './sign-outs.ts';
import { type Holder, isCovered, roleUpTo, sessionOf, VOUCHED_TO, vouchers } from './vouchers.ts';

export interface SessionRow {
  readonly token_hash: Buffer;
  readonly user_id: number;
  readonly user_agent: string | null;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly expires_at: number;
  /** null: never asked. */
  readonly confirmed_at: number | null;
}

interface CodeRow {
  readonly user_id: number;
  readonly expires_at: number;
  /** The end of the session that made it; null: none. */
  readonly maker_expires_at: number | null;
  readonly is_proof: 0 | 1;
}

interface MembershipRow extends Omit<Membership, 'waitingFor'> {
  /** Place in the roles' order; null: not vouched for here. */
  readonly vouched: number | null;
}

const HOUR_MS = 3_600_000;
const CONFIRMED_FOR_MS = 10 * 60_000;
const MAX_SESSIONS_OF_USER = 100;
const MAX_USER_AGENT = 255;
/** Bounds a sign-in's cleanup. */
const REMOVED_PER_CALL = 100;
const SHORTENED_PER_CALL = 1_000;

export function sessions(sql: Sql, { sessions: { lifeMs, isProviderOnly } }: StoreSettings) {
  const insert = sql.run<Omit<SessionRow, 'last_seen_at'>>(`
    INSERT INTO session (token_hash, user_id, user_agent, created_at, last_seen_at, expires_at, confirmed_at)
    VALUES (:token_hash, :user_id, :user_agent, :created_at, :created_at, :expires_at, :confirmed_at)
  `);
  const removeExpired = sql.run<{ agedMs: number }>(`
    DELETE FROM session WHERE token_hash IN (
      SELECT token_hash FROM session WHERE expires_at <= CAST(:agedMs AS BIGINT) LIMIT ${REMOVED_PER_CALL}
    )
  `);
  /** Only sessions without rights beyond the new one's. */
  const beyond = sql.values<{ userId: number; session: Buffer }, Buffer>(`
    SELECT token_hash FROM session WHERE user_id = :userId
      AND ${isCovered('held.session = session.token_hash', 'own.session = :session')}
    ORDER BY created_at DESC LIMIT ${REMOVED_PER_CALL} OFFSET ${MAX_SESSIONS_OF_USER}
  `);
  const live = sql.get<{ tokenHash: Buffer; wallMs: number }, SessionRow>(
    'SELECT * FROM session WHERE token_hash = :tokenHash AND expires_at > :wallMs',
  );
  const touch = sql.run<{ tokenHash: Buffer; wallMs: number }>(`
    UPDATE session SET last_seen_at = :wallMs
    WHERE token_hash = :tokenHash AND expires_at > :wallMs AND last_seen_at < :wallMs
  `);
  const shorten = sql.run<{ lifeMs: number }>(`
    UPDATE session SET expires_at = created_at + :lifeMs WHERE token_hash IN (
      SELECT token_hash FROM session WHERE expires_at > created_at + CAST(:lifeMs AS BIGINT) LIMIT ${SHORTENED_PER_CALL}
    )
  `);
  const prolong = sql.run<{ tokenHash: Buffer; wallMs: number; expiresAtMs: number }>(`
    UPDATE session SET last_seen_at = :wallMs, expires_at = :expiresAtMs
    WHERE token_hash = :tokenHash AND expires_at > :wallMs AND last_seen_at < :wallMs
  `);
  const remove = sql.run<{ tokenHash: Buffer }>('DELETE FROM session WHERE token_hash = :tokenHash');
  const ofUser = sql.all<{ userId: number; wallMs: number }, SessionRow>(
    'SELECT * FROM session WHERE user_id = :userId AND expires_at > :wallMs ORDER BY created_at DESC',
  );
  /** Sessions without rights that :session lacks. */
  const covered = sql.all<{ userId: number; session: Buffer; wallMs: number }, SessionRow>(`
    SELECT * FROM session WHERE user_id = :userId AND expires_at > :wallMs
      AND ${isCovered('held.session = session.token_hash', 'own.session = :session')}
    ORDER BY created_at DESC
  `);
  const user = sql.get<{ id: number }, Identity['user']>('SELECT id, email, name FROM person WHERE id = :id');
  const passwordOf = sql.value<{ id: number }, string | null>('SELECT password FROM person WHERE id = :id');
  const membershipsOf = sql.all<{ userId: number; session: Buffer }, MembershipRow>(`
    SELECT workspace.id AS "workspaceId", workspace.slug, workspace.name, workspace.status, member.role,
      ${VOUCHED_TO} AS vouched
    FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = CAST(:userId AS BIGINT) ORDER BY workspace.slug
  `);
  const code = sql.get<{ codeHash: Buffer }, CodeRow>(`
    SELECT pairing_code.user_id, pairing_code.expires_at, is_proof, maker.expires_at AS maker_expires_at
    FROM pairing_code LEFT JOIN session AS maker ON maker.token_hash = pairing_code.made_in
    WHERE code_hash = :codeHash
  `);
  const spendCode = sql.run<{ codeHash: Buffer }>('DELETE FROM pairing_code WHERE code_hash = :codeHash');
  const confirm = sql.run<{ tokenHash: Buffer; wallMs: number }>(
    'UPDATE session SET confirmed_at = :wallMs WHERE token_hash = :tokenHash AND confirmed_at IS NOT NULL',
  );
  const passkey = passkeyProofs(sql);
  const agedAt = agedTime(sql);
  const find = lookups(sql);
  const signOut = signOuts(sql);
  const bans = roleRules(sql);
  const vouched = vouchers(sql);

  /** `by`: the holder whose vouchers the session gets. Without `isProof` the person must confirm. */
  async function open(
    userId: number,
    by: Holder,
    { tokenHash, ...asked }: NewSession,
    { wallMs, isProof = true, endsAtMs = wallMs + lifeMs }: { wallMs: number; isProof?: boolean; endsAtMs?: number },
  ) {
    const expiresAtMs = Math.min(wallMs + lifeMs, endsAtMs);
    const session = Buffer.from(tokenHash, 'hex');
    await removeExpired({ agedMs: await agedAt(wallMs) });
    await insert({
      token_hash: session,
      user_id: userId,
      user_agent: asked.userAgent?.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ' ').slice(0, MAX_USER_AGENT) ?? null,
      created_at: wallMs,
      expires_at: expiresAtMs,
      confirmed_at: asked.inBrowser ? (isProof ? wallMs : 0) : null,
    });
    await vouched.pass(by, { column: 'session', id: session });
    for (const tokenHash of await beyond({ userId, session })) await remove({ tokenHash });
    return readSignedIn(userId, session, expiresAtMs);
  }

  async function readSignedIn(userId: number, session: Buffer, expiresAtMs: number): Promise<SignedIn> {
    const found = await user({ id: userId });
    if (found === undefined) throw new Error('a foreign key keeps the user of every session');
    return {
      user: found,
      ...splitMemberships(await membershipsOf({ userId, session })),
      expires_at: toTimestamp(expiresAtMs),
    };
  }

  /** Returns this person's valid proof; null: wrong, used or expired. */
  async function proofOf(given: ArgsOf<'confirmSession'>, wallMs: number): Promise<Holder | null> {
    const { userId } = given;
    if ('password' in given) {
      return (await passwordOf({ id: userId })) === given.password ? { column: 'password_of', id: userId } : null;
    }
    if ('codeHash' in given) {
      const id = Buffer.from(given.codeHash, 'hex');
      const found = await code({ codeHash: id });
      const isGood = found?.user_id === userId && found.expires_at > wallMs && found.is_proof === 1;
      return isGood ? { column: 'code', id } : null;
    }
    const id = Buffer.from(given.answer.passkeyId, 'hex');
    return (await passkey.take(given.answer, wallMs)) === userId ? { column: 'passkey', id } : null;
  }

  async function showSessions(userId: number, rows: readonly SessionRow[]): Promise<readonly Session[]> {
    const vouchedFor = await vouched.ofSessions(userId);
    return rows.map((row) => ({
      id: idOf(row),
      user_agent: row.user_agent,
      created_at: toTimestamp(row.created_at),
      last_seen_at: toTimestamp(row.last_seen_at),
      expires_at: toTimestamp(row.expires_at),
      vouched_for: vouchedFor(row.token_hash),
    }));
  }

  return {
    async openSession({ userId, password, ...session }, { wallMs }) {
      if ((await passwordOf({ id: userId })) !== password) return null;
      return open(userId, { column: 'password_of', id: userId }, session, { wallMs });
    },

    async redeemPairingCode({ codeHash: hex, ...session }, { wallMs }) {
      const codeHash = Buffer.from(hex, 'hex');
      const found = await code({ codeHash });
      if (found === undefined || found.expires_at <= wallMs) return null;
      const by = { column: 'code', id: codeHash } as const;
      // A session that use does not prolong must not be prolonged by sessions made in it.
      const endsAtMs = isProviderOnly ? found.maker_expires_at : null;
      const limits = { wallMs, isProof: found.is_proof === 1, ...(endsAtMs !== null && { endsAtMs }) };
      const opened = await open(found.user_id, by, session, limits);
      await spendCode({ codeHash });
      return opened;
    },

    async openByPasskey({ answer, ...session }, { wallMs }) {
      const userId = await passkey.take(answer, wallMs);
      const by = { column: 'passkey', id: Buffer.from(answer.passkeyId, 'hex') } as const;
      return userId === null ? null : open(userId, by, session, { wallMs });
    },

    async findSession({ tokenHash }, { wallMs }) {
      const session = Buffer.from(tokenHash, 'hex');
      const row = await live({ tokenHash: session, wallMs });
      if (row === undefined) return null;
      const stale = row.last_seen_at <= wallMs - HOUR_MS;
      return {
        ...(await readSignedIn(row.user_id, session, row.expires_at)),
        stale,
        confirmed: isConfirmed(row, wallMs),
      };
    },

    async confirmSession({ tokenHash, ...given }, { wallMs }) {
      const session = Buffer.from(tokenHash, 'hex');
      const proof = await proofOf({ tokenHash, ...given }, wallMs);
      if (proof === null) return null;
      if (!(await vouched.canCover(proof, session))) return 'too_narrow';
      // A code that covers too little stays valid for what it opens.
      if (proof.column === 'code') await spendCode({ codeHash: proof.id });
      await confirm({ tokenHash: session, wallMs });
      return 'confirmed';
    },

    async touchSession({ tokenHash }, { wallMs }) {
      const args = { tokenHash: Buffer.from(tokenHash, 'hex'), wallMs };
      if (isProviderOnly) await touch(args);
      else await prolong({ ...args, expiresAtMs: wallMs + lifeMs });
      return null;
    },

    async shortenSessions() {
      return isProviderOnly ? shorten({ lifeMs }) : 0;
    },

    async closeSession({ tokenHash }) {
      await remove({ tokenHash: Buffer.from(tokenHash, 'hex') });
      return null;
    },

    async listSessions({ email }, { wallMs }) {
      const found = await find.user(email);
      return isRefusal(found) ? found : showSessions(found.id, await ofUser({ userId: found.id, wallMs }));
    },

    async closeSessions({ workspace: slug, email, id, closed: before = 0 }, _, actor) {
      const found = await find.userIn(slug, email);
      if (isRefusal(found)) return found;
      if (!(await bans.canActAs(found.id, actor))) return forbidden('more_rights', { email: found.email });
      const isOwn = (await bans.personOf(actor)) === found.id;
      const session = sessionOf(actor);
      if (id === undefined) {
        const ended = isOwn ? await signOut.coveredBy(session, found.id) : await signOut.entirely(found.id);
        return { email: found.email, ...ended, closed: before + ended.closed };
      }
      const params = { userId: found.id, session, wallMs: 0 };
      const row = (await (isOwn ? covered(params) : ofUser(params))).find((openSession) => idOf(openSession) === id);
      if (row === undefined) return noSession(id, found.email);
      await remove({ tokenHash: row.token_hash });
      return { email: found.email, closed: 1 };
    },

    async listOwnSessions({ userId, tokenHash }, { wallMs }) {
      const session = Buffer.from(tokenHash, 'hex');
      const rows = await covered({ userId, session, wallMs });
      const shown = await showSessions(userId, rows);
      return shown.map((shownSession, nth) => ({
        ...shownSession,
        current: rows[nth]?.token_hash.equals(session) ?? false,
      }));
    },
  } satisfies SomeHandlers;
}

/** Splits memberships into usable ones, and those the session is not vouched for. */
function splitMemberships(rows: readonly MembershipRow[]): Pick<Identity, 'memberships' | 'waiting'> {
  return {
    memberships: rows.flatMap(({ vouched, role: given, ...place }) => {
      if (vouched === null) return [];
      const role = roleUpTo(given, vouched);
      return { ...place, role, waitingFor: role === given ? null : given };
    }),
    waiting: rows.flatMap(({ vouched, workspaceId: _, ...place }) => (vouched === null ? place : [])),
  };
}

/** A wall clock set back confirms no session longer. */
function isConfirmed({ confirmed_at: atMs }: SessionRow, wallMs: number): boolean {
  return atMs === null || (atMs <= wallMs && wallMs < atMs + CONFIRMED_FOR_MS);
}

/** Returns the beginning of the hash, which signs no one in. */
function idOf({ token_hash }: SessionRow): string {
  return token_hash.toString('hex').slice(0, 12);
}
