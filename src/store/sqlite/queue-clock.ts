import type { Clock, Moment } from '../../process/clock.ts';
import type { Db } from './transaction.ts';

/** Exceeds the drift between a machine's clocks. */
const JUMP_MS = 30_000;

const BEGIN = 'UPDATE queue_clock SET skipped_at_start = skipped_ms WHERE skipped_at_start <> skipped_ms';
const AT_START = 'SELECT skipped_at_start FROM queue_clock WHERE id = 1';
const SKIPPED = 'SELECT skipped_ms FROM queue_clock WHERE id = 1';
const NOTE = `
  INSERT INTO queue_clock (id, skipped_ms) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET skipped_ms = excluded.skipped_ms`;

/** The clock of the process, with the queue's time as the steady one. */
export interface QueueClock extends Clock {
  /** Stores how far the wall clock was set, or the machine slept, since the start. */
  note(now: Moment): void;
}

/**
 * Continues the queue's time of the last process. Downtime counts, but not how far the wall clock was set while a
 * process ran, which only that process could see.
 */
export function queueClock(db: Db, clock: Clock): QueueClock {
  db.prepare(BEGIN).run();
  const ofProcess = queueTime(db, clock);
  const apartMs = ({ wallMs, steadyMs }: Moment) => wallMs - steadyMs;
  const skipped = db.prepare<[], number>(SKIPPED).pluck();
  const note = db.prepare(NOTE);
  const atStart = skipped.get() ?? 0;
  let apartAtStartMs: number | undefined;

  return {
    ...ofProcess,
    note(now) {
      apartAtStartMs ??= apartMs(now);
      const nowSkipped = atStart + apartMs(now) - apartAtStartMs;
      if (Math.abs(nowSkipped - (skipped.get() ?? 0)) > JUMP_MS) note.run(nowSkipped);
    },
  };
}

/** Returns the clock of the process that has the database open, with the queue's time as the steady one. */
export function queueTime(db: Db, clock: Clock): Clock {
  const atStart = db.prepare<[], number>(AT_START).pluck().get() ?? 0;
  return { wallMs: () => clock.wallMs(), steadyMs: () => clock.steadyMs() - atStart };
}
