/** A line of a log, with metadata from outside the line. */
export interface LogLine {
  readonly text: string;
  /** null: nothing. */
  readonly about: {
    readonly atMs: number;
    /** The level in pino's numbers. */
    readonly level: number;
    /** Another program that reports on it; null: pushctl itself. */
    readonly by: string | null;
  } | null;
}

export interface ReadingOptions {
  /** Older lines may be left out. */
  readonly sinceMs: number;
  /** Follows new lines until the signal aborts. */
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}
