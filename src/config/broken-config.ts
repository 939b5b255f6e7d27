import { OperatorProblem } from '../process/problem.ts';

/** A data folder that was found although the configuration has mistakes, and what names it. */
export interface FoundDataDir {
  readonly path: string;
  readonly from: '--data-dir' | 'PUSHCTL_DATA_DIR' | 'data_dir in the file' | 'the default';
  /** The named file does not exist, so it may be another installation's. */
  readonly isGuess: boolean;
}

/** A configuration that cannot be read or has mistakes. A running server still has the configuration of its start. */
export class BrokenConfig extends OperatorProblem {
  /** A line for each mistake, with its place. */
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
    this.mistakes = [what, ...mistakes].join('\n  ');
    this.dataDir = found.dataDir;
    this.file = found.file;
  }
}
