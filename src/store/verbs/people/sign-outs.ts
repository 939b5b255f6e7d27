import type { Sql } from '../../sql.ts';

/** Ends sessions. Each answers how many it ended. */
export interface SignOuts {
  /** All of a person's, and a pairing code that would open another. */
  entirely(userId: number): Promise<number>;
  /** All but the one whose token has this hash (hex). */
  elsewhere(userId: number, tokenHash: string): Promise<number>;
}

export function signOuts(sql: Sql): SignOuts {
  const removeAll = sql.run<{ userId: number }>('DELETE FROM session WHERE user_id = :userId');
  const removeOthers = sql.run<{ userId: number; tokenHash: Buffer }>(
    'DELETE FROM session WHERE user_id = :userId AND token_hash <> :tokenHash',
  );
  const voidCode = sql.run<{ userId: number }>('DELETE FROM pairing_code WHERE user_id = :userId');

  return {
    async entirely(userId) {
      await voidCode({ userId });
      return removeAll({ userId });
    },
    elsewhere: async (userId, tokenHash) => removeOthers({ userId, tokenHash: Buffer.from(tokenHash, 'hex') }),
  };
}
