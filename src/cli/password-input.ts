import { text as readAll } from 'node:stream/consumers';
import { hashPassword, passwordProblem } from '../contract/password.ts';
import { OperatorProblem } from '../problem.ts';
import type { Session } from './session.ts';

/**
 * One password from standard input, without the line end that `echo` and editors add, as it is stored. Passwords never come
 * from the command line: everybody on the machine can read those.
 */
export async function readPassword({ process }: Session): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password, then Ctrl-D on a new line (it is shown): ');
  const password = (await readAll(process.stdin)).replace(/\r?\n$/, '');
  const problem = passwordProblem(password);
  if (problem !== null) throw new OperatorProblem(problem, 2);
  return hashPassword(password);
}
