/** Reads the log of a server from the journal or a file. */

/** A line of a log, with metadata from outside the line. */
export interface LogLine {
  readonly text: string;
  /** null: nothing. */
  readonly about: {
    readonly atMs: number;
    /** The level in pino's numbers. */
    readonly level: number;
    /** Another program than pushctl, which speaks about it; null: pushctl itself. */
    readonly by: string | null;
  } | null;
}

export interface ReadingOptions {
  /** Older lines may be left out. */
  readonly sinceMs: number;
  /** Goes on with what comes, until the signal aborts. */
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}
