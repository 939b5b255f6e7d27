import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { OperatorProblem } from '../process/problem.ts';
import { hashPassword, passwordProblem } from '../values/password.ts';
import type { CommandContext } from './context.ts';
import { printable } from './output/printable.ts';

/** Asks to type `word` before deleting `what`. Exits with 2 without a terminal. */
export async function confirmDeletion(context: CommandContext, what: string, word: string): Promise<void> {
  await confirm(context, `this deletes the ${what} for good`, word, 'nothing was deleted');
}

/** Explains the consequences and asks to type `word`. Exits with 2 without a terminal. */
export async function confirm(
  { process }: CommandContext,
  consequence: string,
  word: string,
  otherwise = 'nothing was changed',
): Promise<void> {
  if (!process.stdin.isTTY) throw new OperatorProblem(consequence, 2, { advice: 'pass --yes to confirm' });
  const answer = await ask(process, `${upperFirst(consequence)}. Type "${word}" to go on: `);
  if (answer !== word) throw new OperatorProblem(otherwise);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a person's answer at a terminal; null: Ctrl-C or Ctrl-D. */
export function ask({ stdin, stderr }: NodeJS.Process, question: string): Promise<string | null> {
  const terminal = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    terminal.once('close', () => {
      stderr.write('\n');
      resolve(null);
    });
    terminal.question(printable(question), (answer) => {
      resolve(answer.trim());
      terminal.removeAllListeners('close').close();
    });
  });
}

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
