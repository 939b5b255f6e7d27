import { createInterface } from 'node:readline';
import { OperatorProblem } from '../process/problem.ts';
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
