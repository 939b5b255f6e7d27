import * as assert from 'uvu/assert';
import { OperatorProblem } from '../../src/process/problem.ts';

/** The `OperatorProblem` that it throws. Fails where it throws nothing, or anything else. */
export function problemOf(run: () => unknown): OperatorProblem {
  try {
    run();
  } catch (error) {
    assert.instance(error, OperatorProblem);
    return error as OperatorProblem;
  }
  throw new Error('nothing was thrown');
}

/** The `OperatorProblem` that it rejects with. Fails where it resolves, or rejects with anything else. */
export async function problemIn(work: Promise<unknown>): Promise<OperatorProblem> {
  const [result] = await Promise.allSettled([work]);
  return problemOf(() => {
    if (result.status === 'rejected') throw result.reason;
  });
}
