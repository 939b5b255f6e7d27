import { CommanderError } from 'commander';
import { type ExitCode, OperatorProblem } from '../process/problem.ts';
import { StoreUnavailable } from '../store/calls.ts';

/** How a command failed: what is printed, and its exit code. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** What a person reads on stderr; null: commander has said it already. */
  readonly said: string | null;
  /** What a program reads on stdout, with `--json`; null: it has it already. */
  readonly error: FailureDocument | null;
}

/** `advice`: what to do; null: the message says it, or it is not known. */
interface FailureDocument {
  readonly code: string;
  readonly message: string;
  readonly advice: string | null;
  /** The service's answer, if it refused. */
  readonly answer?: unknown;
}

/** Thrown in place of an error that the document on stdout, which was begun already, reports itself. */
export class ReportedError extends Error {
  constructor(cause: unknown) {
    super('an error that stdout has reported', { cause });
  }
}

const SHOWN_OR_WANTED = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

/** What to print and how to exit; null: it was no failure. Anything unexpected is a bug, and shown with its stack. */
export function toFailure(error: unknown): Failure | null {
  if (error instanceof ReportedError) {
    const failure = toFailure(error.cause);
    return failure && { ...failure, error: null };
  }
  if (error instanceof CommanderError) return ofCommander(error);
  if (error instanceof OperatorProblem) {
    const { exitCode, message: said, what, ...rest } = error;
    const { code, advice, answer } = rest;
    return { exitCode, said, error: { code, message: what, advice, ...(answer !== undefined && { answer }) } };
  }
  if (error instanceof StoreUnavailable) {
    const advice = error.mayBeDone
      ? 'Whether this was done is not known: look with a list command, then try again.'
      : 'Nothing was changed; mend that and try again.';
    const said = `${error.message.replace(/\.$/, '')}. ${advice}`;
    return { exitCode: 1, said, error: { code: 'unavailable', message: error.message, advice } };
  }
  const shown = error instanceof Error ? error.stack : String(error);
  const message = `this is a bug: ${error instanceof Error ? error.message : shown}`;
  const advice = 'Report it, with what stands on standard error.';
  return { exitCode: 1, said: `this is a bug: ${shown}`, error: { code: 'bug', message, advice } };
}

/** EX_USAGE of sysexits.h, for a command that others call by another name. */
const USAGE = 64;

/** A noun without a command shows its help on stderr and counts as wrong usage. */
function ofCommander({ code, exitCode, message }: CommanderError): Failure | null {
  const isShown = SHOWN_OR_WANTED.includes(code);
  if (isShown && exitCode === 0) return null;
  const what = isShown ? 'a command is missing' : message.replace(/^error: /, '');
  return {
    exitCode: exitCode === USAGE ? USAGE : 2,
    said: null,
    error: { code: 'wrong_usage', message: what, advice: 'See --help for what is possible.' },
  };
}
