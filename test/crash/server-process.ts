import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { entryUrl } from '../../src/process/entry-points.ts';
import type { Resources } from '../support/resources.ts';
import type { Env } from '../support/server.ts';
import { deadlineFor } from '../support/until.ts';

const MAIN = fileURLToPath(entryUrl('cli/main'));
/** After a crash it reads the write-ahead log first, and waits for its port. */
const STARTS_WITHIN_MS = 30_000;

/** `pushctl serve` as a process of its own, as systemd runs it. */
export interface ServerProcess {
  /** Returns the address that it listens on. Rejects if it ends before. */
  readonly url: Promise<string>;
  readonly pid: number;
  /** Resolves once it is gone, with its exit code; null where a signal ended it. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Resolves once it is gone by itself, with its exit code and its text on stderr. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly errorText: string }>;
  /** It does nothing any more, and does not know it, until it is thawed. */
  freeze(): void;
  thaw(): void;
}

/** `main`: of another version of the program. */
export function serverProcess(opened: Resources, env: Env, main: string = MAIN): ServerProcess {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { PATH: process.env.PATH, HOME: env.PUSHCTL_DATA_DIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let errorText = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText += text;
  });
  const url = listening(child, () => errorText);
  // A caller that kills it before it listens does not wait for this.
  url.catch(() => {});
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  opened.onEnd(() => end('SIGKILL'));
  return {
    url,
    pid: child.pid ?? 0,
    end,
    ended: ended.then(() => ({ exitCode: child.exitCode, errorText })),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function listening(child: ChildProcess, errorText: () => string): Promise<string> {
  if (!child.stdout) throw new Error('a child without pipes');
  const deadline = setTimeout(() => child.kill('SIGKILL'), deadlineFor(STARTS_WITHIN_MS));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
      if (msg !== 'listening' || url === undefined) continue;
      child.stdout.resume();
      return url;
    }
  } finally {
    clearTimeout(deadline);
  }
  throw new Error(`the server ended before it listened: ${errorText()}`);
}
