/** The state of the write-ahead log, in pages: https://www.sqlite.org/wal.html#ckpt */
export interface LogState {
  readonly pages: number;
  /** Pages that are not yet in the database file. */
  readonly left: number;
}

export interface CheckpointDeps {
  /** Checkpoints what is in the log by now, beside the store thread. Null: that could not be done. */
  readonly pass: () => Promise<LogState | null>;
  /** Has the store thread report where the log stands, by `note`. `shouldFinish`: after a checkpoint of its own. */
  readonly ask: (shouldFinish: boolean) => void;
}

/**
 * The request for a pass to the thread beside the store's. It is no call of the store, since it runs outside any
 * transaction.
 */
export const CHECKPOINT = 'checkpoint';
/** And for a look at every page. */
export const CHECK = 'check';

/** A pass is worth it from this many pages on: SQLite's own threshold. */
const WORTH_PAGES = 1_000;
/** 16 MiB. From here on the log should restart. */
const LONG_PAGES = 4_000;
/** So few that the store thread can checkpoint them itself. */
const FEW_PAGES = 250;
/** If as much is written during a pass as it checkpoints, more passes do not help. */
const MAX_PASSES = 3;

/**
 * Decides when the write-ahead log is checkpointed, and by which thread. A checkpoint is many small writes all over the
 * database file and a sync, so no commit should wait for it. Another thread does it in passes, while the store thread
 * writes on. But the log restarts only if nothing is left in it when the next write begins. So the store thread
 * checkpoints the last few pages itself, between two groups. A long reader (a backup) prevents checkpoints of later
 * writes: the log grows meanwhile.
 */
export class Checkpoints {
  readonly #deps: CheckpointDeps;
  #log: LogState = { pages: 0, left: 0 };
  #isAtWork = false;
  /** Since the log is long. */
  #passes = 0;
  /** With fewer pages left it is not tried again, as the last time some could not be checkpointed. */
  #retryFrom = 0;

  constructor(deps: CheckpointDeps) {
    this.#deps = deps;
  }

  /** The log is long, and would restart soon if less were written. Deferrable work should wait. */
  get isCatchingUp(): boolean {
    return isLong(this.#log) && this.#retryFrom === 0;
  }

  /** After each group, and as the answer to `ask`. */
  note(log: LogState): void {
    this.#log = log;
    if (log.left === 0) this.#retryFrom = 0;
    if (!isLong(log)) this.#passes = 0;
    if (this.#isAtWork || log.left < this.#retryFrom) return;
    if (isLong(log) && (log.left <= FEW_PAGES || this.#passes >= MAX_PASSES)) this.#finish();
    else if (log.left >= (isLong(log) ? FEW_PAGES : WORTH_PAGES)) void this.#pass();
  }

  async #pass(): Promise<void> {
    this.#isAtWork = true;
    const seen = await this.#deps.pass();
    this.#isAtWork = false;
    this.#passes += 1;
    const left = (seen ?? this.#log).left;
    this.#retryFrom = left === 0 ? 0 : left + WORTH_PAGES;
    this.#deps.ask(false);
  }

  /** Checkpoints the rest. If something is still left, a reader holds it. */
  #finish(): void {
    this.#passes = 0;
    this.#retryFrom = this.#log.left + WORTH_PAGES;
    this.#deps.ask(true);
  }
}

function isLong({ pages, left }: LogState): boolean {
  return pages >= LONG_PAGES && left > 0;
}
