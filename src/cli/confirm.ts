import { createInterface } from 'node:readline/promises';
import { OperatorProblem } from '../problem.ts';
import type { Session } from './session.ts';

/** Asks for `word` to be typed before `what` is deleted. Without a terminal nobody can be asked: exit 2. */
export async function confirmDeletion({ process }: Session, what: string, word: string): Promise<void> {
  if (!process.stdin.isTTY) throw new OperatorProblem(`this deletes the ${what}: say --yes if you mean it`, 2);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`This deletes the ${what} for good. Type "${word}" to go on: `);
    if (answer.trim() !== word) throw new OperatorProblem('nothing was deleted');
  } finally {
    terminal.close();
  }
}
