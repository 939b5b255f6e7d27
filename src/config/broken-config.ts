import { OperatorProblem } from '../process/problem.ts';

/** The data folder of a broken configuration, and its source. */
export interface FoundDataDir {
  readonly path: string;
  readonly from: '--data-dir' | 'PUSHCTL_DATA_DIR' | 'data_dir in the file' | 'the default';
  /** The named file is missing, so it may be another installation's. */
  readonly isGuess: boolean;
}

/** An unreadable or wrong configuration. A running server keeps the one from its start. */
export class BrokenConfig extends OperatorProblem {
  /** A line per mistake, with its place; or why the file cannot be read, with advice. */
  readonly mistakes: string;
  readonly dataDir: FoundDataDir;
  readonly file: string | null;

  constructor(
    what: string,
    mistakes: readonly string[],
    found: { readonly file: string | null; readonly dataDir: FoundDataDir },
    advice: string | null = null,
  ) {
    super(mistakes.length === 0 ? what : [`${what}; nothing was started`, ...mistakes].join('\n  '), 2, {
      code: 'wrong_configuration',
      ...(advice !== null && { advice }),
    });
    this.mistakes = mistakes.length === 0 ? this.message : [what, ...mistakes].join('\n  ');
    this.dataDir = found.dataDir;
    this.file = found.file;
  }
}
