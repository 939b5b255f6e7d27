/**
 * The processor time that this thread has used, in milliseconds. Linux counts what the running thread has used since the
 * last tick of its clock, up to 4 ms, only where the whole process is asked about.
 */
export function threadCpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
