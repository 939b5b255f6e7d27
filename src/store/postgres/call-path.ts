import type { CallRequest, Reply } from '../reply.ts';

/** A way for some calls beside the control changes, which go through the committer. */
export interface CallPath {
  takes(call: CallRequest): boolean;
  answer(call: CallRequest): Promise<Reply>;
}
