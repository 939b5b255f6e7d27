/**
 * Something an operator did or met that the program cannot go on with: a wrong option, a taken port, a corrupt database.
 * `message` says what was wrong, where, and what to do. It is printed as `pushctl: <message>`, never with a stack.
 */
export class OperatorProblem extends Error {
  /** 1: failed; 2: wrong usage or configuration. */
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'OperatorProblem';
    this.exitCode = exitCode;
  }
}
