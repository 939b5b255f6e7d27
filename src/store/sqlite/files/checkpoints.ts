import { unavailableReason } from '../errors.ts';
import type { Db } from '../transaction.ts';

/** The write-ahead log in pages: https://www.sqlite.org/wal.html#ckpt */
export interface LogState {
  readonly pages: number;
  /** Pages missing in the database file. */
  readonly left: number;
}

interface CheckpointDeps {
  /** Checkpoints the current log beside the store thread. Null: it failed. */
  readonly pass: () => Promise<LogState | null>;
  /** Makes the store thread report the log by `note`. `shouldFinish`: after its checkpoint. */
  readonly ask: (shouldFinish: boolean) => void;
}

/** Requests a pass of the other thread. No call of the store: it runs outside transactions. */
export const CHECKPOINT = 'checkpoint';
/** And for a look at every page. */
export const CHECK = 'check';

/** A pass pays from so many pages: SQLite's own threshold. */
const WORTH_PAGES = 1_000;
/** 16 MiB: the log should restart. */
const LONG_PAGES = 4_000;
/** The store thread can checkpoint these itself. */
const FEW_PAGES = 250;
/** More passes do not help if as much is written during a pass as it checkpoints. */
const MAX_PASSES = 3;

/**
 * Decides when, and by which thread, the write-ahead log is checkpointed. Checkpoints are many scattered writes and a
 * sync: another thread does them in passes, and no commit waits. But the log restarts only if empty at the next write,
 * so the store thread checkpoints the last pages between groups. A long reader (a backup) prevents later checkpoints:
 * the log grows.
 */
export class Checkpoints {
  readonly #deps: CheckpointDeps;
  #log: LogState = { pages: 0, left: 0 };
  #isAtWork = false;
  /** Since the log is long. */
  #passes = 0;
  /** With fewer pages left, checkpoints are not retried: last time some could not be checkpointed. */
  #retryFrom = 0;

  constructor(deps: CheckpointDeps) {
    this.#deps = deps;
  }

  /** The log is long: deferrable work should wait so it can restart. */
  get isCatchingUp(): boolean {
    return isLong(this.#log) && this.#retryFrom === 0;
  }

  /** Called after each group, and to answer `ask`. */
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

  /** Checkpoints the rest. Readers may hold some. */
  #finish(): void {
    this.#passes = 0;
    this.#retryFrom = this.#log.left + WORTH_PAGES;
    this.#deps.ask(true);
  }
}

function isLong({ pages, left }: LogState): boolean {
  return pages >= LONG_PAGES && left > 0;
}

/** 64 MB. Otherwise a commit checkpoints, before the log exceeds what is kept (database.ts). */
const BACKSTOP_PAGES = 16_000;

/** The write-ahead log of a connection that leaves checkpoints to others (checkpoints.ts). */
interface WriteAheadLog {
  state(): LogState;
  /** Outside transactions. */
  checkpoint(): LogState;
}

export function writeAheadLog(db: Db): WriteAheadLog {
  db.pragma(`wal_autocheckpoint = ${BACKSTOP_PAGES}`);
  const look = checkpointOf(db, 'NOOP');
  const checkpoint = checkpointOf(db, 'PASSIVE');
  let last: LogState = { pages: 0, left: 0 };
  /** Commits report a broken disk; the log is checkpointed later. */
  const unlessBroken = (state: () => LogState): LogState => {
    try {
      last = state();
    } catch (error) {
      if (unavailableReason(error) === undefined) throw error;
    }
    return last;
  };
  return { state: () => unlessBroken(look), checkpoint: () => unlessBroken(checkpoint) };
}

/** `NOOP` only looks; `PASSIVE` checkpoints without any waiting: https://www.sqlite.org/c3ref/wal_checkpoint_v2.html */
export function checkpointOf(db: Db, mode: 'NOOP' | 'PASSIVE'): () => LogState {
  const statement = db.prepare<[], { log: number; checkpointed: number }>(`PRAGMA wal_checkpoint(${mode})`);
  return () => {
    const { log, checkpointed } = statement.get() ?? { log: 0, checkpointed: 0 };
    return { pages: log, left: log - checkpointed };
  };
}
