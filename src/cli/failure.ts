import { CommanderError } from 'commander';
import { type ExitCode, OperatorProblem } from '../process/problem.ts';
import { StoreUnavailable } from '../store/calls.ts';

interface Failure {
  readonly exitCode: ExitCode;
  /** The text on stderr; null: commander printed it. */
  readonly text: string | null;
  /** The document with `--json`; null: already printed. */
  readonly error: FailureDocument | null;
}

/** `advice`: what to do; null: in the message, or unknown. */
interface FailureDocument {
  readonly code: string;
  readonly message: string;
  readonly advice: string | null;
  /** The service's answer, if it refused. */
  readonly answer?: unknown;
}

/** Replaces an error that the begun document on stdout reports. */
export class ReportedError extends Error {
  constructor(cause: unknown) {
    super('an error that stdout has reported', { cause });
  }
}

const SHOWN_OR_WANTED = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

/** Returns output and exit code; null: no failure. Unexpected errors are bugs, shown with their stack. */
export function toFailure(error: unknown): Failure | null {
  if (error instanceof ReportedError) {
    const failure = toFailure(error.cause);
    return failure && { ...failure, error: null };
  }
  if (error instanceof CommanderError) return ofCommander(error);
  if (error instanceof OperatorProblem) {
    const { exitCode, message: text, what, ...rest } = error;
    const { code, advice, answer } = rest;
    return { exitCode, text, error: { code, message: what, advice, ...(answer !== undefined && { answer }) } };
  }
  if (error instanceof StoreUnavailable) {
    const advice = error.mayBeDone
      ? 'It is not known whether this was done. Check with a list command, then try again.'
      : 'Nothing was changed. Fix this and try again.';
    const text = `${error.message.replace(/\.$/, '')}. ${advice}`;
    return { exitCode: 1, text, error: { code: 'unavailable', message: error.message, advice } };
  }
  if (isFolderGone(error)) {
    const advice = 'Change to another directory and try again.';
    return toFailure(new OperatorProblem('The working directory was deleted.', 1, { advice }));
  }
  const shown = error instanceof Error ? error.stack : String(error);
  const message = `this is a bug: ${error instanceof Error ? error.message : shown}`;
  const advice = 'Report it with the text on standard error.';
  return { exitCode: 1, text: `this is a bug: ${shown}`, error: { code: 'bug', message, advice } };
}

/** Returns whether `process.cwd()` failed on a deleted directory. */
function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

/** EX_USAGE of sysexits.h, for a command that programs call by another name. */
const USAGE = 64;

/** Converts commander's errors. A lone noun shows its help on stderr as wrong usage. */
function ofCommander({ code, exitCode, message }: CommanderError): Failure | null {
  const isShown = SHOWN_OR_WANTED.includes(code);
  if (isShown && exitCode === 0) return null;
  const what = isShown ? 'a command is missing' : message.replace(/^error: /, '');
  return {
    exitCode: exitCode === USAGE ? USAGE : 2,
    text: null,
    error: { code: 'wrong_usage', message: what, advice: 'See --help for what is possible.' },
  };
}
