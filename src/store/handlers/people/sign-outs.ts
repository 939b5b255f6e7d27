import type { Role } from '../../../push.ts';
import type { Sql } from '../../sql.ts';
import { isCovered } from './vouchers.ts';

/** Ends sessions. Each answers how many it ended. */
export interface SignOuts {
  /** All of a person's, and a pairing code that would open another. */
  entirely(userId: number): Promise<number>;
  /** All of a person's that have no right which this session lacks, and such codes. */
  coveredBy(session: Buffer, userId: number): Promise<number>;
  /** After a password was changed in this session: all others that have no right which the new password lacks. */
  elsewhere(userId: number, session: Buffer): Promise<number>;
  /** Takes back what a manager vouched for in a workspace, and ends the sessions that nothing is left of. */
  vouchedBy(userId: number, workspaceId: number, asking: Buffer): Promise<number>;
  /** Voids codes that the person made as a manager and that are not used, where they can no longer give so much. */
  voidCodesBy(userId: number, workspaceId: number, becomes: Role | null): Promise<void>;
}

export function signOuts(sql: Sql): SignOuts {
  const removeAll = sql.run<{ userId: number }>('DELETE FROM session WHERE user_id = :userId');
  const removeCovered = sql.run<{ userId: number; session: Buffer }>(`
    DELETE FROM session WHERE user_id = :userId
      AND ${isCovered('held.session = session.token_hash', 'own.session = :session')}
  `);
  const removeOthers = sql.run<{ userId: number; session: Buffer }>(`
    DELETE FROM session WHERE user_id = :userId AND token_hash <> :session
      AND ${isCovered('held.session = session.token_hash', 'own.password_of = :userId')}
  `);
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

  return {
    async entirely(userId) {
      await voidCodes({ userId });
      return removeAll({ userId });
    },
    async coveredBy(session, userId) {
      await voidCoveredCodes({ userId, session });
      return removeCovered({ userId, session });
    },
    elsewhere: async (userId, session) => removeOthers({ userId, session }),
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
