import { createInterface } from 'node:readline';
import { OperatorProblem } from '../process/problem.ts';
import type { CommandContext } from './context.ts';
import { printable } from './output/printable.ts';

/** Asks for `word` to be typed before `what` is deleted. Without a terminal there is no one to ask: exit 2. */
export async function confirmDeletion(context: CommandContext, what: string, word: string): Promise<void> {
  await confirm(context, `this deletes the ${what} for good`, word, 'nothing was deleted');
}

/** Says what will follow, and asks for `word` to be typed before it does. Without a terminal as above. */
export async function confirm(
  { process }: CommandContext,
  consequence: string,
  word: string,
  otherwise = 'nothing was changed',
): Promise<void> {
  if (!process.stdin.isTTY) throw new OperatorProblem(consequence, 2, { advice: 'say --yes if you mean it' });
  const answer = await ask(process, `${upperFirst(consequence)}. Type "${word}" to go on: `);
  if (answer !== word) throw new OperatorProblem(otherwise);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a person at a terminal answers; null: Ctrl-C or Ctrl-D. */
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
