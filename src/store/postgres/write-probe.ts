import type { CallPath } from './call-path.ts';
import type { Connections } from './connections.ts';
import { errorReply } from './errors.ts';

const WRITE = 'SELECT prove_storing()';

/** Beside the committer: events can be stored also while a change takes long, and so a server is ready for them. */
export function writeProbePath({ lend }: Connections): CallPath {
  return {
    takes: ({ name }) => name === 'proveWritable',
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
