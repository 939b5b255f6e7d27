import { isRefusal, type Refusal } from '../../src/store/calls.ts';

/** The answer, which must not be a refusal. */
export function granted<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`refused: ${answer.message}`);
  return answer;
}

/** The refusal that the answer must be. */
export function refused(answer: unknown): Refusal {
  if (!isRefusal(answer)) throw new Error(`not refused: ${JSON.stringify(answer)}`);
  return answer;
}
