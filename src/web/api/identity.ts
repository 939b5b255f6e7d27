import { Shared } from '../shared.ts';
import { ask } from './ask.ts';
import type { Input, Method, Output, PathOf } from './client.ts';
import type { Answer } from './problem.ts';

/** The user is asked to show who they are. `done`: to be called once, with whether they did. */
interface Question {
  done(confirmed: boolean): void;
}

/** What the dialog about it shows; null: nothing is asked. */
export const question = new Shared<Question | null>(null);

/**
 * A call that changes something. Where the server wants to know first who is there (401 `confirm_identity`), the dialog
 * asks for it, and the call is made again. Answers that problem only if the user declined.
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
  // The one before is given up: there is one dialog.
  question.value?.done(false);
  return new Promise((resolve) => {
    question.value = {
      done(confirmed) {
        question.value = null;
        resolve(confirmed);
      },
    };
  });
}
