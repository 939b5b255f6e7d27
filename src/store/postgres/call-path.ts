import type { CallRequest, Reply } from '../reply.ts';

/** A path that bypasses the committer. */
export interface CallPath {
  canTake(call: CallRequest): boolean;
  answer(call: CallRequest): Promise<Reply>;
}
