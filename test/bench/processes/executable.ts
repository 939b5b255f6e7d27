import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usedCpuS } from '../../runner/used-cpu.ts';
import { until } from '../../support/until.ts';
import type { Usage } from './handlers.ts';

const LOOK_MS = 2_000;
const QUOTED_CHARS = 1_000;

export interface ExecutableOptions {
  readonly args?: readonly string[];
  /** All that it gets of an environment, beside `PATH` and a `HOME` in its folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it runs, and what it prints is kept. */
  readonly folder: string;
  /** Answers with success once it can be used. */
  readonly healthUrl: string;
}

/** A server that is not pushctl's, as a process of the benchmark. It ends with this process at the latest. */
export class Executable {
  readonly #process: ChildProcess;
  readonly #end = (): void => void this.#process.kill('SIGKILL');

  /** Resolves once it answers. Rejects, with what it printed, where it ends before. */
  static async start(path: string, { args = [], env = {}, folder, healthUrl }: ExecutableOptions): Promise<Executable> {
    const outputFile = join(folder, 'output.log');
    const output = openSync(outputFile, 'a');
    const child = spawn(path, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    await once(child, 'spawn').catch((error: Error) => {
      throw new Error(`${path} cannot be executed: ${error.message}`);
    });
    const executable = new Executable(child);
    try {
      await until(`${healthUrl} of ${path}`, () => {
        if (!isOver(child)) return isHealthy(healthUrl);
        const printed = readFileSync(outputFile, 'utf8').slice(-QUOTED_CHARS).trim();
        throw new Error(`${path} ended before it answered (${child.signalCode ?? child.exitCode}): ${printed}`);
      });
    } catch (error) {
      await executable.kill();
      throw error;
    }
    return executable;
  }

  private constructor(child: ChildProcess) {
    this.#process = child;
    process.on('exit', this.#end);
  }

  async usage(): Promise<Usage> {
    const { pid } = this.#process;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      cpuMs: (usedCpuS(pid) ?? Number.NaN) * 1_000,
      residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024,
    };
  }

  async kill(): Promise<void> {
    process.off('exit', this.#end);
    if (isOver(this.#process)) return;
    const gone = once(this.#process, 'exit');
    this.#end();
    await gone;
  }
}

function isHealthy(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(LOOK_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
