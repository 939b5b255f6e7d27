import type { CallPath } from './call-path.ts';
import type { Connections } from './connections.ts';
import { errorReply } from './errors.ts';

const WRITE = 'SELECT prove_storing()';

/** Proves that events can be stored, without the committer: long changes do not make servers unready. */
export function writeProbePath({ lend }: Connections): CallPath {
  return {
    canTake: ({ name }) => name === 'proveWritable',
    async answer() {
      try {
        await lend(({ execute }) => execute(WRITE));
        return { kind: 'answer', answer: null };
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}
