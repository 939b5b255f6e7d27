import { CommanderError } from 'commander';
import { type ExitCode, OperatorProblem } from '../problem.ts';
import { StoreUnavailable } from '../store/calls.ts';

/** How a run ended badly, in one place. `message` null: commander has said it already. */
export interface Failure {
  readonly exitCode: 0 | ExitCode;
  readonly message: string | null;
}

const SHOWN_OR_WANTED = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

/** What to print and how to exit. Anything unexpected is a bug, and is shown with its stack. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // A noun without a verb shows its help on stderr and counts as wrong usage.
    const isWanted = SHOWN_OR_WANTED.includes(error.code) && error.exitCode === 0;
    return { exitCode: isWanted ? 0 : 2, message: null };
  }
  if (error instanceof OperatorProblem) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof StoreUnavailable) {
    return { exitCode: 1, message: `${error.message}. Nothing was changed; mend that and try again.` };
  }
  return { exitCode: 1, message: `this is a bug: ${error instanceof Error ? error.stack : String(error)}` };
}
