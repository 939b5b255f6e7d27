/** 1: failed; 2: wrong usage or configuration; 75: retry later. All but 1 and 2 are from sysexits.h. */
export type ExitCode = 1 | 2 | keyof typeof SYSEXITS;

const SYSEXITS = {
  64: 'wrong_usage',
  65: 'unusable_input',
  67: 'unknown_recipient',
  69: 'unavailable',
  75: 'try_again_later',
  77: 'not_allowed',
  78: 'wrong_configuration',
} as const;

export interface ProblemDetails {
  readonly advice?: string;
  /** A stable code, finer than the exit code. */
  readonly code?: string;
  /** The service's response, where that is the problem. */
  readonly answer?: unknown;
}

const CODES = { 1: 'failed', 2: 'wrong_usage', ...SYSEXITS } as const;

/**
 * A problem that stops the program: a wrong option, a taken port, a corrupt database. `message` is `what` (what and
 * where) plus the advice. Printed as `pushctl: <message>` without a stack, and with `--json` as a document.
 */
export class OperatorProblem extends Error {
  readonly what: string;
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly advice: string | null;
  readonly answer: unknown;
  constructor(what: string, exitCode: ExitCode = 1, { advice, code, answer }: ProblemDetails = {}) {
    super(advice === undefined ? what : `${what}${/[.?]$/.test(what) ? '' : ':'} ${advice}`);
    this.name = 'OperatorProblem';
    this.what = what;
    this.exitCode = exitCode;
    this.code = code ?? CODES[exitCode];
    this.advice = advice ?? null;
    this.answer = answer;
  }
}

/** An error for the log, without its message, which may quote client input. */
export interface ErrorTrace {
  readonly name: string;
  readonly code?: string;
  /** The first lines of its stack. */
  readonly at: readonly string[];
}

export function withoutWords(error: unknown): ErrorTrace {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, ...(code !== undefined && { code }), at: frames.slice(0, 6).map((line) => line.trim()) };
}
