import { unavailableReason } from '../errors.ts';
import type { Db } from '../transaction.ts';
import type { LogState } from './checkpoints.ts';

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
