/**
 * The processor time that this thread has used, in milliseconds. Linux counts the running thread's use since the
 * last tick of its clock, up to 4 ms, only in the figure for the whole process.
 */
export function threadCpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

interface Tries {
  readonly most: number;
  /** One that takes no longer is believed. */
  readonly enoughMs: number;
}

/**
 * The least processor time of this thread among some tries, in ms. A busy machine has cold caches, and a slow thing is
 * slow in each try. `call` is given how many went before.
 */
export async function leastCpuMs(call: (tried: number) => unknown, { most, enoughMs }: Tries): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < most && least > enoughMs; tried += 1) {
    const before = threadCpuMs();
    await call(tried);
    least = Math.min(least, threadCpuMs() - before);
  }
  return least;
}

/** A list as a member with many devices gets it. */
const LIST = JSON.stringify(Array.from({ length: 1_600 }, (_, n) => ({ id: n, name: `device ${n}`, on: true })));
/** The time that a machine of today needs to parse it. */
const LIST_MS = 0.4;

/**
 * The factor by which this machine is slower now than a machine of today, at least 1. Bounds in milliseconds are
 * multiplied by it, so that they hold on slower machines.
 */
export async function slowness(): Promise<number> {
  return Math.max(1, (await leastCpuMs(() => JSON.parse(LIST), { most: 20, enoughMs: LIST_MS })) / LIST_MS);
}
