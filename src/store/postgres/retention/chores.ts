import type { PruneAnswer } from '../../calls.ts';
import type { CallRequest, Reply } from '../../carriers/reply.ts';
import type { Committer } from '../committer.ts';
import type { Connections } from '../connections.ts';
import { errorReply } from '../errors.ts';
import { lockKeys } from '../locks.ts';

/** Before the committer: what one node does, the others need not do as well. */
export interface ChoresLane {
  takes(call: CallRequest): boolean;
  answer(call: CallRequest): Promise<Reply>;
}

const TRY_LOCK = `SELECT pg_try_advisory_xact_lock(${lockKeys('chores')})`;
/** Whoever is at it goes on until all is done. */
const BY_ANOTHER: PruneAnswer = { done: true, isPressing: false, isTooLarge: false };

/**
 * One node at a time removes what is old and goes on with what is half done. Another one that would do so leaves it to
 * that, for a minute: no node is in charge, so none is missed when it is gone.
 */
export function choresLane(connections: Connections, { run }: Committer): ChoresLane {
  return {
    takes: ({ name }) => name === 'pruneStep',
    async answer(call) {
      try {
        return await connections.transaction('write', async ({ sql }) => {
          const isMine = await sql.value<object, boolean>(TRY_LOCK)({});
          const [reply] = isMine === true ? await run([call]) : [];
          return reply ?? { kind: 'answer', answer: BY_ANOTHER };
        });
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}
