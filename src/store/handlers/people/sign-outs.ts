import type { Role } from '../../../push.ts';
import { ID_LIST, idList, MOST_IDS, type Sql } from '../../sql.ts';
import { isCovered } from './vouchers.ts';

/** Rows removed per call: sessions with rights. */
const MOST_ROWS = 120;
/** Sessions ended per call. */
const MOST_SESSIONS = MOST_IDS;

/** Ends some hundred sessions per call. `more`: the client calls again. */
interface SignOuts {
  /** Ends a person's sessions, and voids a pairing code for another. */
  entirely(userId: number): Promise<Ended>;
  /**
   * Ends a person's sessions that have no right which this session lacks, and voids such codes. This session ends last.
   */
  coveredBy(session: Buffer, userId: number): Promise<Ended>;
  /** Ends all other sessions without rights beyond the new password's, after a change in this session. */
  elsewhere(userId: number, session: Buffer): Promise<Ended>;
  /** Revokes a manager's vouchers in a workspace, and ends sessions left without rights. */
  vouchedBy(userId: number, workspaceId: number, asking: Buffer): Promise<number>;
  /** Voids unused codes that the person made as a manager, if the person can no longer give as much. */
  voidCodesBy(userId: number, workspaceId: number, becomes: Role | null): Promise<void>;
}

interface Ended {
  readonly closed: number;
  readonly more?: true;
}

interface OpenSession {
  readonly id: Buffer;
  readonly rights: number;
}

const sessionsOf = (which: string, first: string) => `
  SELECT token_hash AS id, (SELECT count(*) FROM voucher WHERE voucher.session = session.token_hash) AS rights
  FROM session WHERE user_id = :userId ${which} ORDER BY ${first} LIMIT ${MOST_SESSIONS + 1}`;

export function signOuts(sql: Sql): SignOuts {
  const all = sql.all<{ userId: number }, OpenSession>(sessionsOf('', 'created_at'));
  const covered = sql.all<{ userId: number; session: Buffer }, OpenSession>(
    sessionsOf(
      `AND ${isCovered('held.session = session.token_hash', 'own.session = :session')}`,
      'CASE WHEN token_hash = :session THEN 1 ELSE 0 END, created_at',
    ),
  );
  const others = sql.all<{ userId: number; session: Buffer }, OpenSession>(
    sessionsOf(
      `AND token_hash <> :session AND ${isCovered('held.session = session.token_hash', 'own.password_of = :userId')}`,
      'created_at',
    ),
  );
  const remove = sql.run<object>(`DELETE FROM session WHERE token_hash IN ${ID_LIST}`);
  const voidCodes = sql.run<{ userId: number }>('DELETE FROM pairing_code WHERE user_id = :userId');
  const voidCoveredCodes = sql.run<{ userId: number; session: Buffer }>(`
    DELETE FROM pairing_code WHERE user_id = :userId
      AND ${isCovered('held.code = pairing_code.code_hash', 'own.session = :session')}
  `);
  const removeVouched = sql.run<{ userId: number; workspaceId: number; asking: Buffer }>(`
    DELETE FROM session WHERE token_hash <> :asking
      AND token_hash IN (SELECT session FROM voucher WHERE vouched_by = :userId AND workspace_id = :workspaceId)
      AND NOT EXISTS (
        SELECT 1 FROM voucher WHERE voucher.session = session.token_hash
          AND (vouched_by IS DISTINCT FROM :userId OR workspace_id IS DISTINCT FROM :workspaceId)
      )
  `);
  const takeBack = sql.run<{ userId: number; workspaceId: number; asking: Buffer }>(`
    DELETE FROM voucher WHERE vouched_by = :userId AND workspace_id = :workspaceId
      AND (voucher.session IS NULL OR voucher.session <> :asking)
  `);
  const voidMade = sql.run<{ userId: number; workspaceId: number; becomes: Role | 'none' }>(`
    DELETE FROM pairing_code WHERE made_in IS NULL AND code_hash IN (
      SELECT code FROM voucher WHERE vouched_by = :userId AND workspace_id = :workspaceId
        AND (CAST(:becomes AS TEXT) IN ('member', 'none') OR (role = 'owner' AND CAST(:becomes AS TEXT) = 'admin'))
    )
  `);

  async function endSome(sessions: readonly OpenSession[]): Promise<Ended> {
    let rows = 0;
    const first = sessions.slice(0, MOST_SESSIONS).filter(({ rights }, place) => {
      rows += 1 + rights;
      return place === 0 || rows <= MOST_ROWS;
    });
    if (first.length > 0) await remove(idList(first.map(({ id }) => id)));
    return { closed: first.length, ...(first.length < sessions.length && { more: true }) };
  }

  return {
    async entirely(userId) {
      await voidCodes({ userId });
      return endSome(await all({ userId }));
    },
    async coveredBy(session, userId) {
      await voidCoveredCodes({ userId, session });
      return endSome(await covered({ userId, session }));
    },
    elsewhere: async (userId, session) => endSome(await others({ userId, session })),
    async vouchedBy(userId, workspaceId, asking) {
      const ended = await removeVouched({ userId, workspaceId, asking });
      await takeBack({ userId, workspaceId, asking });
      return ended;
    },
    async voidCodesBy(userId, workspaceId, becomes) {
      await voidMade({ userId, workspaceId, becomes: becomes ?? 'none' });
    },
  };
}
