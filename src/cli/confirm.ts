import { createInterface } from 'node:readline';
import { OperatorProblem } from '../problem.ts';
import { printable } from './printable.ts';
import type { Session } from './session.ts';

/** Asks for `word` to be typed before `what` is deleted. Without a terminal nobody can be asked: exit 2. */
export async function confirmDeletion({ process }: Session, what: string, word: string): Promise<void> {
  if (!process.stdin.isTTY) throw new OperatorProblem(`this deletes the ${what}: say --yes if you mean it`, 2);
  const answer = await ask(process, `This deletes the ${what} for good. Type "${word}" to go on: `);
  if (answer?.trim() !== word) throw new OperatorProblem('nothing was deleted');
}

/** null: Ctrl-C or Ctrl-D. */
function ask({ stdin, stderr }: NodeJS.Process, question: string): Promise<string | null> {
  const terminal = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    terminal.once('close', () => {
      stderr.write('\n');
      resolve(null);
    });
    terminal.question(printable(question), (answer) => {
      resolve(answer);
      terminal.removeAllListeners('close').close();
    });
  });
}
