import { SESSION_LIFE_MS } from '../../../contract/session-token.ts';
import { toTimestamp } from '../../../timestamp.ts';
import { isRefusal } from '../../calls.ts';
import type { Identity, Membership, NewSession, Session, SignedIn } from '../../people-calls.ts';
import { noSession, notOnesToActFor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { lookups } from '../lookups.ts';
import type { Verbs } from '../verb.ts';
import { roleRules } from './role-rules.ts';
import { signOuts } from './sign-outs.ts';

interface SessionRow {
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
  readonly confirms: 0 | 1;
}

const HOUR_MS = 3_600_000;
/** Asked from its beginning. */
const NEVER_MS = 0;
const CONFIRMED_FOR_MS = 10 * 60_000;
const MAX_SESSIONS_OF_USER = 100;
const MAX_USER_AGENT = 255;
/** So that no single sign-in cleans up for long. */
const REMOVED_PER_CALL = 100;

type SessionCalls =
  | 'openSession'
  | 'redeemPairingCode'
  | 'findSession'
  | 'confirmSession'
  | 'touchSession'
  | 'closeSession'
  | 'listSessions'
  | 'closeSessions'
  | 'listOwnSessions';

export function sessions(sql: Sql): Verbs<SessionCalls> {
  const insert = sql.run<Omit<SessionRow, 'last_seen_at'>>(`
    INSERT INTO session (token_hash, user_id, user_agent, created_at, last_seen_at, expires_at, confirmed_at)
    VALUES (:token_hash, :user_id, :user_agent, :created_at, :created_at, :expires_at, :confirmed_at)
  `);
  const removeExpired = sql.run<{ wallMs: number }>(`
    DELETE FROM session WHERE token_hash IN (
      SELECT token_hash FROM session WHERE expires_at <= CAST(:wallMs AS BIGINT) LIMIT ${REMOVED_PER_CALL}
    )
  `);
  const removeBeyond = sql.run<{ userId: number }>(`
    DELETE FROM session WHERE token_hash IN (
      SELECT token_hash FROM session WHERE user_id = CAST(:userId AS BIGINT)
      ORDER BY created_at DESC LIMIT ${REMOVED_PER_CALL} OFFSET ${MAX_SESSIONS_OF_USER}
    )
  `);
  const live = sql.get<{ tokenHash: Buffer; wallMs: number }, SessionRow>(
    'SELECT * FROM session WHERE token_hash = :tokenHash AND expires_at > :wallMs',
  );
  const touch = sql.run<{ tokenHash: Buffer; wallMs: number; expiresAtMs: number }>(`
    UPDATE session SET last_seen_at = :wallMs, expires_at = :expiresAtMs
    WHERE token_hash = :tokenHash AND expires_at > :wallMs AND last_seen_at < :wallMs
  `);
  const remove = sql.run<{ tokenHash: Buffer }>('DELETE FROM session WHERE token_hash = :tokenHash');
  const ofUser = sql.all<{ userId: number; wallMs: number }, SessionRow>(
    'SELECT * FROM session WHERE user_id = :userId AND expires_at > :wallMs ORDER BY created_at DESC',
  );
  const user = sql.get<{ id: number }, Identity['user']>('SELECT id, email, name FROM person WHERE id = :id');
  const passwordOf = sql.value<{ id: number }, string | null>('SELECT password FROM person WHERE id = :id');
  const membershipsOf = sql.all<{ userId: number }, Membership>(`
    SELECT workspace.id AS "workspaceId", workspace.slug, workspace.name, workspace.status, member.role
    FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = CAST(:userId AS BIGINT) ORDER BY workspace.slug
  `);
  const spendCode = sql.get<{ codeHash: Buffer }, CodeRow>(
    'DELETE FROM pairing_code WHERE code_hash = :codeHash RETURNING user_id, expires_at, confirms',
  );
  const spendOwnCode = sql.run<{ codeHash: Buffer; userId: number; wallMs: number }>(`
    DELETE FROM pairing_code
    WHERE code_hash = :codeHash AND user_id = :userId AND expires_at > :wallMs AND confirms = 1
  `);
  const confirm = sql.run<{ tokenHash: Buffer; wallMs: number }>(
    'UPDATE session SET confirmed_at = :wallMs WHERE token_hash = :tokenHash AND confirmed_at IS NOT NULL',
  );
  const find = lookups(sql);
  const signOut = signOuts(sql);
  const bans = roleRules(sql);

  async function open(
    userId: number,
    { tokenHash, userAgent }: NewSession,
    confirmedAtMs: number | null,
    wallMs: number,
  ): Promise<SignedIn> {
    const expiresAtMs = wallMs + SESSION_LIFE_MS;
    await removeExpired({ wallMs });
    await insert({
      token_hash: Buffer.from(tokenHash, 'hex'),
      user_id: userId,
      user_agent: userAgent?.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_USER_AGENT) ?? null,
      created_at: wallMs,
      expires_at: expiresAtMs,
      confirmed_at: confirmedAtMs,
    });
    await removeBeyond({ userId });
    return signedIn(userId, expiresAtMs);
  }

  async function signedIn(userId: number, expiresAtMs: number): Promise<SignedIn> {
    const found = await user({ id: userId });
    if (found === undefined) throw new Error('a foreign key keeps the user of every session');
    return { user: found, memberships: await membershipsOf({ userId }), expires_at: toTimestamp(expiresAtMs) };
  }

  return {
    async openSession({ userId, password, ...session }, { wallMs }) {
      const isRight = (await passwordOf({ id: userId })) === password;
      return isRight ? open(userId, session, session.inBrowser ? wallMs : null, wallMs) : null;
    },

    async redeemPairingCode({ codeHash, ...session }, { wallMs }) {
      const code = await spendCode({ codeHash: Buffer.from(codeHash, 'hex') });
      if (code === undefined || code.expires_at <= wallMs) return null;
      const confirmedAtMs = session.inBrowser ? wallMs : null;
      return open(code.user_id, session, code.confirms === 1 ? confirmedAtMs : NEVER_MS, wallMs);
    },

    async findSession({ tokenHash }, { wallMs }) {
      const row = await live({ tokenHash: Buffer.from(tokenHash, 'hex'), wallMs });
      if (row === undefined) return null;
      const stale = row.last_seen_at <= wallMs - HOUR_MS;
      return { ...(await signedIn(row.user_id, row.expires_at)), stale, confirmed: isConfirmed(row, wallMs) };
    },

    async confirmSession({ tokenHash, userId, ...proof }, { wallMs }) {
      const isRight =
        'password' in proof
          ? (await passwordOf({ id: userId })) === proof.password
          : (await spendOwnCode({ codeHash: Buffer.from(proof.codeHash, 'hex'), userId, wallMs })) === 1;
      if (!isRight) return null;
      await confirm({ tokenHash: Buffer.from(tokenHash, 'hex'), wallMs });
      return true;
    },

    async touchSession({ tokenHash }, { wallMs }) {
      await touch({ tokenHash: Buffer.from(tokenHash, 'hex'), wallMs, expiresAtMs: wallMs + SESSION_LIFE_MS });
      return null;
    },

    async closeSession({ tokenHash }) {
      await remove({ tokenHash: Buffer.from(tokenHash, 'hex') });
      return null;
    },

    async listSessions({ email }, { wallMs }) {
      const found = await find.user(email);
      return isRefusal(found) ? found : (await ofUser({ userId: found.id, wallMs })).map(shown);
    },

    async closeSessions({ workspace: slug, email, id, askedBy }) {
      const found = await find.userIn(slug, email);
      if (isRefusal(found)) return found;
      if (!(await bans.mayActAs(found.id, askedBy))) return notOnesToActFor(found.email);
      if (id === undefined) return { email: found.email, closed: await signOut.entirely(found.id) };
      const row = (await ofUser({ userId: found.id, wallMs: 0 })).find((session) => idOf(session) === id);
      if (row === undefined) return noSession(id, found.email);
      await remove({ tokenHash: row.token_hash });
      return { email: found.email, closed: 1 };
    },

    async listOwnSessions({ userId, tokenHash }, { wallMs }) {
      const rows = await ofUser({ userId, wallMs });
      return rows.map((row) => ({ ...shown(row), current: row.token_hash.toString('hex') === tokenHash }));
    },
  };
}

/** A wall clock that was set back confirms nobody for longer. */
function isConfirmed({ confirmed_at: atMs }: SessionRow, wallMs: number): boolean {
  return atMs === null || (atMs <= wallMs && wallMs < atMs + CONFIRMED_FOR_MS);
}

function shown(session: SessionRow): Session {
  return {
    id: idOf(session),
    user_agent: session.user_agent,
    created_at: toTimestamp(session.created_at),
    last_seen_at: toTimestamp(session.last_seen_at),
    expires_at: toTimestamp(session.expires_at),
  };
}

/** The beginning of the hash: nobody can sign in with it, nor with the whole hash. */
function idOf({ token_hash }: SessionRow): string {
  return token_hash.toString('hex').slice(0, 12);
}
