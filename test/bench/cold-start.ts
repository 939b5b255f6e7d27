import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { packagePath } from '../../src/process/package.ts';
import type { Env } from '../support/server.ts';

const LOOK_EVERY_MS = 2;
/** The kernel counts processor time in ticks. */
const TICK_MS = 10;
/** Until each thread has freed the garbage of its start. */
const SETTLE_MS = 3_000;
const KIB = 1024;

export interface ColdStart {
  /** From the command until `/readyz` answers 200. */
  readonly tookMs: number;
  /** CPU of all threads until then. */
  readonly cpuMs: number;
  /** Once it is idle. */
  readonly residentBytes: number;
}

/** Starts the program by its launcher with these settings, among them a `PUSHCTL_LISTEN`, and ends it. */
export async function coldStart(env: Env): Promise<ColdStart> {
  const startMs = performance.now();
  const program = spawn(packagePath('bin', 'pushctl'), ['serve'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(program, 'exit');
  try {
    while (!(await isReady(`http://${env.PUSHCTL_LISTEN}/readyz`))) {
      if (program.exitCode !== null) throw new Error(`pushctl serve ended with ${program.exitCode}`);
      await pause(LOOK_EVERY_MS);
    }
    const started = { tookMs: performance.now() - startMs, cpuMs: cpuMsOf(program.pid) };
    await pause(SETTLE_MS);
    return { ...started, residentBytes: residentBytesOf(program.pid) };
  } finally {
    program.kill();
    await exited;
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

function cpuMsOf(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

function residentBytesOf(pid: number | undefined): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * KIB;
}
