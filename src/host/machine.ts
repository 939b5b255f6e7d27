import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorProblem } from '../process/problem.ts';

const DEADLINE_MS = 120_000;

/** The machine to install on: this one, or a file system under `root`. */
export interface Machine {
  /** Whether systemd runs this very machine. */
  readonly isRunning: boolean;
  path(file: string): string;
  /** Runs systemctl there. Throws OperatorProblem with its message. */
  systemctl(...args: readonly string[]): void;
  /** Returns whether systemd starts the unit on request only, and it is not failing. */
  isStopped(unit: string): boolean;
  sysusers(...args: readonly string[]): void;
}

export const HERE: Pick<Machine, 'path'> = { path: (file) => file };

export function machineAt(root: string): Machine {
  const isHere = root === '/';
  const elsewhere = isHere ? [] : [`--root=${root}`];
  return {
    isRunning: isHere && existsSync('/run/systemd/system'),
    path: (file) => join(root, file),
    systemctl: (...args) => run('/usr/bin/systemctl', [...elsewhere, ...args]),
    isStopped: (unit) => isHere && stateOf(unit) === 'inactive',
    sysusers: (...args) => run('/usr/bin/systemd-sysusers', [...elsewhere, ...args]),
  };
}

/** Returns `active`, `inactive`, `failed` …; systemctl fails for all but `active`. */
function stateOf(unit: string): string {
  const { stdout } = spawnSync('/usr/bin/systemctl', ['is-active', unit], { timeout: DEADLINE_MS, encoding: 'utf8' });
  return stdout?.trim() ?? '';
}

function run(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: DEADLINE_MS, encoding: 'utf8' });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    if (code === 'ENOENT')
      throw new OperatorProblem(`${command} is missing`, 1, { advice: 'this needs a machine with systemd' });
    throw new OperatorProblem(`\`${[command, ...args].join(' ')}\` failed: ${stderr?.trim() || code}`);
  }
}
