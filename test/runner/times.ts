import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** How many seconds each job took in an earlier run. */
export type Times = Readonly<Record<string, number>>;

export function readTimes(path: string): Times {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Times) : {};
}

/** Keeps the times of jobs that exist and did not run this time. */
export function saveTimes(path: string, took: Times, exists: (name: string) => boolean): void {
  const kept = Object.entries({ ...readTimes(path), ...took }).filter(([name]) => exists(name));
  const lines = kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, tookS]) => [name, Math.ceil(tookS)]);
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`);
}
