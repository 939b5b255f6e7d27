import { type Finding, ok, warn } from '../../process/finding.ts';

const DAY_MS = 86_400_000;
const MONTH_MS = 30.44 * DAY_MS;
/** Old versions lack fixes, including those of their Node.js. */
const OLD_MS = 6 * MONTH_MS;

/** Checks this version's age: nothing else reminds of updates. `madeAtMs`: null if unknown. */
export function checkAge(madeAtMs: number | null, nowMs: number): Finding[] {
  if (madeAtMs === null) return [];
  const message = `this version is ${ageOf(madeAtMs, nowMs)} old`;
  if (nowMs - madeAtMs < OLD_MS) return [ok('version', message)];
  return [warn('version', message, 'check for a newer version; its CHANGELOG.md lists the fixes')];
}

/** "3 days", "11 months". */
export function ageOf(madeAtMs: number, nowMs: number): string {
  const ms = nowMs - madeAtMs;
  if (ms < DAY_MS) return 'less than a day';
  const [count, unit] = ms < 2 * MONTH_MS ? [ms / DAY_MS, 'day'] : [ms / MONTH_MS, 'month'];
  return `${Math.floor(count)} ${unit}${count < 2 ? '' : 's'}`;
}
