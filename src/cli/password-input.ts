import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { OperatorProblem } from '../process/problem.ts';
import { hashPassword, passwordProblem } from '../values/password.ts';
import type { CommandContext } from './context.ts';

const NOTHING_CHANGED = 'Nothing was changed.';

/**
 * Reads a password and returns its stored form. Terminal: typed twice, unseen. Otherwise: standard input without its
 * line end. Never an argument, which every local user could read.
 */
export async function readPassword({ process }: CommandContext): Promise<string> {
  const { stdin } = process;
  const password = stdin.isTTY ? await typed(process) : (await readAll(stdin)).replace(/\r?\n$/, '');
  const problem = passwordProblem(password);
  if (problem !== null) throw new OperatorProblem(problem, 2);
  return hashPassword(password);
}

async function typed({ stdin, stderr }: NodeJS.Process): Promise<string> {
  // Readline takes over a terminal's echo and sends it nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    stderr.write(question);
    const { done, value } = await lines.next();
    stderr.write('\n');
    // Ctrl-C or Ctrl-D.
    if (done) throw new OperatorProblem(NOTHING_CHANGED);
    return value;
  };
  try {
    const password = await ask('Password (not shown): ');
    const problem = passwordProblem(password);
    if (problem !== null) throw new OperatorProblem(problem, 2);
    if ((await ask('Repeat the password: ')) === password) return password;
    throw new OperatorProblem(`The passwords differ. ${NOTHING_CHANGED}`);
  } finally {
    terminal.close();
  }
}
