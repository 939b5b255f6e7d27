import type { Pulse } from './pulse.ts';
import type { Timeline } from './timeline.ts';

/** Longest wait after a fault: a lease, and 5 s. Counts only time in which no fault is in progress. */
export const LATE_MS = 15_000;

/** The result of a kind of promise: how many were made, kept, kept late, or broken otherwise. */
export interface Tallied {
  readonly kind: string;
  readonly promised: number;
  readonly lost: number;
  readonly late: number;
  /** The longest waits: in all, in time without a fault, and after the end of the first fault since it was due. */
  readonly slowestMs: number;
  readonly slowestFreeMs: number;
  readonly slowestAfterMs: number;
  /** In words. */
  readonly wrong: readonly string[];
}

export interface Promised {
  /** Names it in a message. */
  readonly what: string;
  readonly dueMs: number;
  /** undefined: never. */
  readonly arrivedMs: number | undefined;
  /** Default `LATE_MS`. */
  readonly allowedMs?: number;
}

const MOST_WORDS = 10;

/** Compares the promises of a kind with what arrived. */
export function tally(
  kind: string,
  promises: readonly Promised[],
  { timeline, pulse, wrong = [] }: { timeline: Timeline; pulse: Pulse; wrong?: readonly string[] },
): Tallied {
  let [slowestMs, slowestFreeMs, slowestAfterMs] = [0, 0, 0];
  const lost: string[] = [];
  const late: string[] = [];
  for (const { what, dueMs, arrivedMs, allowedMs = LATE_MS } of promises) {
    if (arrivedMs === undefined) {
      lost.push(`lost: ${what}${seenSince(timeline, dueMs, dueMs + LATE_MS)}`);
      continue;
    }
    const freeMs = timeline.freeMs(dueMs, arrivedMs);
    slowestMs = Math.max(slowestMs, arrivedMs - dueMs);
    slowestFreeMs = Math.max(slowestFreeMs, freeMs);
    slowestAfterMs = Math.max(
      slowestAfterMs,
      arrivedMs - Math.max(dueMs, timeline.between(dueMs, arrivedMs)[0]?.endMs ?? 0),
    );
    if (freeMs <= allowedMs) continue;
    const waited = `${inS(arrivedMs - dueMs)}, ${inS(freeMs)} of it without a fault`;
    late.push(`late: ${what}, ${waited}; ${pulse.between(dueMs, arrivedMs)}${seenSince(timeline, dueMs, arrivedMs)}`);
  }
  return {
    kind,
    promised: promises.length,
    lost: lost.length,
    late: late.length,
    slowestMs,
    slowestFreeMs,
    slowestAfterMs,
    wrong: [...lost.slice(0, MOST_WORDS), ...late.slice(0, MOST_WORDS), ...wrong],
  };
}

/** A row for the report. */
export function tallyInRow({
  kind,
  promised,
  lost,
  late,
  slowestMs,
  slowestFreeMs,
  slowestAfterMs,
  wrong,
}: Tallied): string {
  const slowest = [slowestMs, slowestFreeMs, slowestAfterMs].map(inS).join(' | ');
  const row = `| ${kind} | ${promised} | ${lost} | ${late} | ${slowest} |`;
  return [row, ...wrong].join('\n    ');
}

export function isKept({ lost, late, wrong }: Tallied): boolean {
  return lost === 0 && late === 0 && wrong.length === 0;
}

function seenSince(timeline: Timeline, fromMs: number, toMs: number): string {
  const faults = timeline.between(fromMs, toMs).map(({ what, startMs, endMs }) => {
    return `${what} from ${inS(startMs - fromMs)} to ${inS(endMs - fromMs)}`;
  });
  return ` [at ${inS(fromMs)}: ${faults.join(', ')}]`;
}

function inS(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
