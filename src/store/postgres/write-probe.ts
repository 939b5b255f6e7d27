import type { CallPath } from './call-path.ts';
import type { Connections } from './connections.ts';
import { errorReply } from './errors.ts';

const WRITE = 'SELECT prove_storing()';

/** Proves that events can be stored. It bypasses the committer, so a long change does not make a server unready. */
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
