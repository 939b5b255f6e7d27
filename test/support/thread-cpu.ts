/**
 * The processor time that this thread has used, in milliseconds. Linux counts what the running thread has used since the
 * last tick of its clock, up to 4 ms, only where the whole process is asked about.
 */
export function threadCpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** A list as a member with many devices gets it. */
const LIST = JSON.stringify(Array.from({ length: 1_600 }, (_, n) => ({ id: n, name: `device ${n}`, on: true })));
/** What a machine of today needs to parse it, in ms. */
const LIST_MS = 0.4;
const TRIES = 20;

/**
 * How many times longer than a machine of today this one needs now, at least 1: a bound in milliseconds that holds on any
 * machine is multiplied by it.
 */
export function slowness(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = threadCpuMs();
    JSON.parse(LIST);
    least = Math.min(least, threadCpuMs() - before);
  }
  return Math.max(1, least / LIST_MS);
}
