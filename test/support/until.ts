import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes on a busy machine: what has not come true by then never will. */
export const DEADLINE_MS = 180_000;
const LOOK_EVERY_MS = 10;

/** Waits for a fact. Throws, naming it, if it does not come true. `deadlineMs`: for what waits longer by its own design. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const untilMs = performance.now() + deadlineMs;
  while (!(await isTrue())) {
    if (performance.now() > untilMs) throw new Error(`waited in vain for: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}
