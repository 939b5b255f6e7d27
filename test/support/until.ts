import { setTimeout as pause } from 'node:timers/promises';

/** Waits for a fact. Throws, naming it, if it does not come true by the deadline. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  deadlineMs = 30_000,
): Promise<void> {
  const untilMs = Date.now() + deadlineMs;
  while (!(await isTrue())) {
    if (Date.now() > untilMs) throw new Error(`waited in vain for: ${what}`);
    await pause(10);
  }
}
