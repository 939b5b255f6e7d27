import { SESSION_LIFE_MS } from '../../../contract/session-token.ts';
import { toTimestamp } from '../../../timestamp.ts';
import { isRefusal } from '../../calls.ts';
import type { Identity, Membership, NewSession, Session, SignedIn } from '../../people-calls.ts';
import { noSession } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { lookups } from '../lookups.ts';
import { signOuts } from './sign-outs.ts';

interface SessionRow {
  readonly token_hash: Buffer;
  readonly user_id: number;
  readonly user_agent: string | null;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly expires_at: number;
}

const HOUR_MS = 3_600_000;
const MAX_SESSIONS_OF_USER = 100;
const MAX_USER_AGENT = 255;
/** So that no single sign-in cleans up for long. */
const EXPIRED_PER_CALL = 100;

type SessionCalls =
  | 'openSession'
  | 'redeemPairingCode'
  | 'findSession'
  | 'touchSession'
  | 'closeSession'
  | 'listSessions'
  | 'closeSessions';

export function sessions(db: Db): Handlers<SessionCalls> {
  const insert = db.prepare<Omit<SessionRow, 'last_seen_at'>>(`
    INSERT INTO session (token_hash, user_id, user_agent, created_at, last_seen_at, expires_at)
    VALUES (:token_hash, :user_id, :user_agent, :created_at, :created_at, :expires_at)
  `);
  const removeExpired = db.prepare<[number, number]>('DELETE FROM session WHERE expires_at <= ? LIMIT ?');
  const removeBeyond = db.prepare<[number, number]>(
    'DELETE FROM session WHERE user_id = ? ORDER BY created_at DESC LIMIT -1 OFFSET ?',
  );
  const live = db.prepare<[Buffer, number], SessionRow>(
    'SELECT * FROM session WHERE token_hash = ? AND expires_at > ?',
  );
  const touch = db.prepare<{ tokenHash: Buffer; wallMs: number; expiresAtMs: number }>(`
    UPDATE session SET last_seen_at = :wallMs, expires_at = :expiresAtMs
    WHERE token_hash = :tokenHash AND expires_at > :wallMs AND last_seen_at < :wallMs
  `);
  const remove = db.prepare<[Buffer]>('DELETE FROM session WHERE token_hash = ?');
  const ofUser = db.prepare<[number, number], SessionRow>(
    'SELECT * FROM session WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC',
  );
  const user = db.prepare<[number], Identity['user']>('SELECT id, email, name FROM user WHERE id = ?');
  const passwordOf = db.prepare<[number], string | null>('SELECT password FROM user WHERE id = ?').pluck();
  const membershipsOf = db.prepare<[number], Membership>(`
    SELECT workspace.id AS workspaceId, workspace.slug, workspace.name, workspace.status, member.role
    FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = ? ORDER BY workspace.slug
  `);
  const spendCode = db.prepare<[Buffer], { user_id: number; expires_at: number }>(
    'DELETE FROM pairing_code WHERE code_hash = ? RETURNING user_id, expires_at',
  );
  const find = lookups(db);
  const signOut = signOuts(db);

  function open(userId: number, { tokenHash, userAgent }: NewSession, wallMs: number): SignedIn | null {
    const expiresAtMs = wallMs + SESSION_LIFE_MS;
    removeExpired.run(wallMs, EXPIRED_PER_CALL);
    insert.run({
      token_hash: Buffer.from(tokenHash, 'hex'),
      user_id: userId,
      user_agent: userAgent?.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_USER_AGENT) ?? null,
      created_at: wallMs,
      expires_at: expiresAtMs,
    });
    removeBeyond.run(userId, MAX_SESSIONS_OF_USER);
    return signedIn(userId, expiresAtMs);
  }

  function signedIn(userId: number, expiresAtMs: number): SignedIn {
    const found = user.get(userId);
    if (found === undefined) throw new Error('a foreign key keeps the user of every session');
    return { user: found, memberships: membershipsOf.all(userId), expires_at: toTimestamp(expiresAtMs) };
  }

  return {
    openSession({ userId, password, ...session }, { wallMs }) {
      return passwordOf.get(userId) === password ? open(userId, session, wallMs) : null;
    },

    redeemPairingCode({ codeHash, ...session }, { wallMs }) {
      const code = spendCode.get(Buffer.from(codeHash, 'hex'));
      return code !== undefined && code.expires_at > wallMs ? open(code.user_id, session, wallMs) : null;
    },

    findSession({ tokenHash }, { wallMs }) {
      const row = live.get(Buffer.from(tokenHash, 'hex'), wallMs);
      if (row === undefined) return null;
      return { ...signedIn(row.user_id, row.expires_at), stale: row.last_seen_at <= wallMs - HOUR_MS };
    },

    touchSession({ tokenHash }, { wallMs }) {
      touch.run({ tokenHash: Buffer.from(tokenHash, 'hex'), wallMs, expiresAtMs: wallMs + SESSION_LIFE_MS });
      return null;
    },

    closeSession({ tokenHash }) {
      remove.run(Buffer.from(tokenHash, 'hex'));
      return null;
    },

    listSessions({ email }, { wallMs }) {
      const found = find.user(email);
      return isRefusal(found) ? found : ofUser.all(found.id, wallMs).map(shown);
    },

    closeSessions({ email, id }) {
      const found = find.user(email);
      if (isRefusal(found)) return found;
      if (id === undefined) return { email: found.email, closed: signOut.entirely(found.id) };
      const row = ofUser.all(found.id, 0).find((session) => idOf(session) === id);
      if (row === undefined) return noSession(id, found.email);
      remove.run(row.token_hash);
      return { email: found.email, closed: 1 };
    },
  };
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
