import { Shared } from '../shared.ts';
import { ask } from './ask.ts';
import type { Input, Method, Output, PathOf } from './client.ts';
import type { Answer } from './problem.ts';

/** A question who the user is. `done`: call once, with whether they proved it. */
interface Question {
  done(isConfirmed: boolean): void;
}

/** The dialog's question; null: none. */
export const question = new Shared<Question | null>(null);

/**
 * Makes a changing call. If the server asks for identity (401 `confirm_identity`), shows the dialog and repeats the
 * call. Returns that problem only if the user declined.
 */
export async function change<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: Input<M, P>,
): Promise<Answer<Output<M, P>>> {
  const answer = await ask(method, path, input);
  if (answer.ok || answer.problem.kind !== 'confirm') return answer;
  return (await isConfirmed()) ? ask(method, path, input) : answer;
}

function isConfirmed(): Promise<boolean> {
  // The one dialog drops an earlier question.
  question.value?.done(false);
  return new Promise((resolve) => {
    question.value = {
      done(isConfirmed) {
        question.value = null;
        resolve(isConfirmed);
      },
    };
  });
}
