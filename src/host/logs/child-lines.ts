import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { OperatorProblem } from '../../process/problem.ts';

/** A command's end. `errorText`: its standard error. */
export interface ChildEnd {
  readonly code: number | null;
  readonly errorText: string;
}

/**
 * Yields a command's lines, in English, until it ends or the signal aborts. Returns how it ended. Throws
 * `OperatorProblem` with `advice` if the command is missing.
 */
export async function* linesOf(
  [command = '', ...args]: readonly string[],
  advice: string,
  signal: AbortSignal,
): AsyncGenerator<string, ChildEnd> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { LC_ALL: 'C' } });
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorProblem(`${command} cannot be run (${error.code}). ${advice}`);
  });
  const ended = once(child, 'close');
  const errorText = text(child.stderr);
  const end = (): void => void child.kill();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    yield* createInterface({ input: child.stdout });
    await ended;
    return { code: child.exitCode, errorText: await errorText };
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
