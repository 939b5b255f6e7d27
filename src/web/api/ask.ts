import { session } from '../session.ts';
import { Shared } from '../shared.ts';
import { type Input, type Method, type Output, type PathOf, request } from './client.ts';
import { connection } from './connection.ts';
import { type Answer, answerOf } from './problem.ts';

/**
 * Calls the API (`ask('get', '/v1/devices/{device}', { path: { device } })`) and tracks whether server and session
 * live. Never rejects.
 */
export async function ask<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: Input<M, P>,
): Promise<Answer<Output<M, P>>> {
  const answer = await answerOf<Output<M, P>>(request(method, path, input));
  connection.learn(answer);
  if (!answer.ok && answer.problem.kind === 'signed-out') session.ended();
  return answer;
}

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
