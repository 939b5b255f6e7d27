import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** The variable with how much slower this machine is than a quiet one. The runner measures it, unless it is set. */
export const SLOWNESS = 'TEST_SLOWNESS';

const factor = Number(process.env[SLOWNESS] || 1);
const SLACK_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Returns how long a test waits for what pushctl promises within `promiseMs`, in whole ms. No other place adds slack. */
export function deadlineFor(promiseMs: number): number {
  return Math.round((promiseMs + SLACK_MS) * factor);
}

/** How long a test waits for what pushctl does at once. */
export const DEADLINE_MS = deadlineFor(0);

/**
 * Waits until `look` returns true. If the deadline passes, throws with the last other value that `look` returned: return
 * what there is instead of false. `promiseMs`: within what time pushctl promises the fact, if not at once.
 */
export async function until(what: string, look: () => unknown, promiseMs = 0): Promise<void> {
  const waitMs = deadlineFor(promiseMs);
  const endMs = performance.now() + waitMs;
  for (;;) {
    const seen = await look();
    if (seen === true) return;
    if (performance.now() > endMs) throw new Error(`waited ${waitMs / 1_000} s in vain for: ${what}${lastSeen(seen)}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Waits until `read` returns this value, as `until` does. */
export function untilIs<T>(
  what: string,
  read: () => T | Promise<T>,
  expected: NoInfer<T>,
  promiseMs?: number,
): Promise<void> {
  const look = async () => {
    const seen = await read();
    return seen === expected || { seen, expected };
  };
  return until(what, look, promiseMs);
}

function lastSeen(seen: unknown): string {
  return seen === false ? '' : `; last seen: ${inspect(seen, { depth: 5, breakLength: 120 })}`;
}
