import { session } from '../session.ts';
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
