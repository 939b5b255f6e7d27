/** 1: failed; 2: wrong usage or configuration; 75: try again later (EX_TEMPFAIL of sysexits.h). */
export type ExitCode = 1 | 2 | 75;

/**
 * Something an operator did or met that the program cannot go on with: a wrong option, a taken port, a corrupt database.
 * `message` says what was wrong, where, and what to do. It is printed as `pushctl: <message>`, never with a stack.
 */
export class OperatorProblem extends Error {
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = 1) {
    super(message);
    this.name = 'OperatorProblem';
    this.exitCode = exitCode;
  }
}
