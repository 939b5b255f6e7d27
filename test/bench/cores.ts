import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The server has one core, and all else of a measurement another: it shows what the server does, not who gets a core. */
export interface Cores {
  readonly server: number;
  readonly clients: number;
}

/** Two cores that this process may use, or why there are none. */
export function separateCores(): Cores | string {
  if (spawnSync('taskset', ['--version']).status !== 0) return 'there is no taskset';
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const [server, clients] = coresIn(list);
  return server === undefined || clients === undefined ? 'there is one core' : { server, clients };
}

/** `0-2,5`: 0, 1, 2, 5. */
export function coresIn(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}

/** Moves a process with all of its threads. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' });
}
