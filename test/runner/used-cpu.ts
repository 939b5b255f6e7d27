import { readFileSync } from 'node:fs';

/** Linux's value on all machines that Node runs on. */
const TICKS_PER_S = 100;

/**
 * The seconds of CPU that a process and its ended children have used; by default this process. Null: the system does
 * not say. Beside other work they say more of a change than the time that passed.
 */
export function usedCpuS(process: number | 'self' = 'self'): number | null {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    // After the name, which may hold anything: utime, stime, and those of the children.
    const ticks = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15);
    return ticks.reduce((sum, value) => sum + Number(value), 0) / TICKS_PER_S;
  } catch {
    return null;
  }
}
