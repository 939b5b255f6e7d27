import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Ending, hasSummary, judge, type Verdict } from './verdict.ts';

export interface RunOptions {
  /** The process and its group are killed after so many seconds. */
  readonly limitS: number;
  /** The same, where nothing came after uvu's summary: what failed amid a test leaves servers and connections open. */
  readonly openS?: number;
  /**
   * Empty, and the caller's to remove; it is the file's temporary folder, so what the file leaves there goes with it.
   */
  readonly folder: string;
  /** Beside this process's own. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Kills the group at once, for a runner that is itself stopped. */
  readonly stop: AbortSignal;
}

const PRELOAD = new URL('./preload.js', import.meta.url).href;

/** Runs one built test file in a process group of its own, and ends whatever is left of the group afterwards. */
export async function runFile(
  path: string,
  { limitS, openS = 60, folder, environment, stop }: RunOptions,
): Promise<Verdict> {
  // A file, not a pipe: a process that left the group could hold a pipe open for ever.
  const outputPath = join(folder, 'output');
  const outputFd = openSync(outputPath, 'w');
  const source = readFileSync(path, 'utf8');
  const child = spawn(process.execPath, [...flagsOf(source), '--import', PRELOAD, path], {
    detached: true,
    stdio: ['ignore', outputFd, outputFd],
    // Else commands that run in the file's own process would be coloured as well, and not say what is expected.
    env: { ...process.env, FORCE_COLOR: undefined, ...environment, TMPDIR: folder },
  });
  closeSync(outputFd);
  const endNow = () => endGroup(child);
  stop.addEventListener('abort', endNow);
  const ending = await endingOf(child, { limitS, openS, outputPath });
  stop.removeEventListener('abort', endNow);
  endGroup(child);
  return judge(ending, readFileSync(outputPath, 'utf8'), source);
}

/** If `gc` is there, each thread of a server collects its whole heap as it starts: a tenth of a start. */
function flagsOf(source: string): readonly string[] {
  return source.includes('globalThis.gc') ? ['--expose-gc'] : [];
}

function endingOf(
  child: ChildProcess,
  { limitS, openS, outputPath }: { limitS: number; openS: number; outputPath: string },
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let ending: Ending | undefined;
    const end = (how: Ending) => {
      ending = how;
      endGroup(child);
    };
    const limit = setTimeout(() => end({ kind: 'timedOut', limitS }), limitS * 1_000);
    const look = setInterval(() => {
      const silentS = (Date.now() - statSync(outputPath).mtimeMs) / 1_000;
      if (silentS > openS && hasSummary(readFileSync(outputPath, 'utf8'))) end({ kind: 'stayedOpen', openS });
    }, openS * 100);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      clearInterval(look);
      if (ending !== undefined) resolve(ending);
      else if (code === null) resolve({ kind: 'killed', signal: signal ?? 'an unknown signal' });
      else resolve({ kind: 'exited', code });
    });
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // No process is left in the group.
  }
}
