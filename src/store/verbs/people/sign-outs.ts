import type { Db } from '../../sqlite/transaction.ts';

/** Ends sessions. Each answers how many it ended. */
export interface SignOuts {
  /** All of a person's, and a pairing code that would open another. */
  entirely(userId: number): number;
  /** All but the one whose token has this hash (hex). */
  elsewhere(userId: number, tokenHash: string): number;
}

export function signOuts(db: Db): SignOuts {
  const removeAll = db.prepare<[number]>('DELETE FROM session WHERE user_id = ?');
  const removeOthers = db.prepare<[number, Buffer]>('DELETE FROM session WHERE user_id = ? AND token_hash <> ?');
  const voidCode = db.prepare<[number]>('DELETE FROM pairing_code WHERE user_id = ?');

  return {
    entirely(userId) {
      voidCode.run(userId);
      return removeAll.run(userId).changes;
    },
    elsewhere: (userId, tokenHash) => removeOthers.run(userId, Buffer.from(tokenHash, 'hex')).changes,
  };
}
