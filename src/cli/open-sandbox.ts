import { LARGEST_PORT } from '../config/units.ts';
import { actAsOwnerOf } from '../files/act-as-owner.ts';
import { OperatorProblem } from '../process/problem.ts';
import type { SandboxSettings } from '../sandbox/credentials.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';

export interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly settings: SandboxSettings;
}

/**
 * Starts a sandbox with the keys in `folder`, and makes missing ones; root makes them as the folder's owner.
 * `firstPort` 0: any free ports.
 */
export async function openSandbox(
  folder: string,
  options: Pick<SandboxOptions, 'firstPort' | 'acceptUnknownTokens' | 'topics' | 'openListener'>,
): Promise<OpenSandbox> {
  using _ = actAsOwnerOf(folder);
  try {
    const sandbox = await startSandbox({ ...options, restoreFrom: folder });
    return { sandbox, settings: await sandbox.writeCredentials(folder) };
  } catch (error) {
    const { code, port: taken, path } = error as NodeJS.ErrnoException & { port?: number };
    const advice = 'pass the first of twelve free ports with --port';
    if (code === 'EADDRINUSE') throw new OperatorProblem(`port ${taken} is in use`, 1, { advice });
    if (code === 'ERR_SOCKET_BAD_PORT') throw new OperatorProblem(`ports end at ${LARGEST_PORT}`, 2, { advice });
    if (path !== undefined) {
      const what = `cannot keep the sandbox's keys in ${folder}: ${path} (${code}).`;
      throw new OperatorProblem(what, 1, { advice: 'Pass a folder that this user can write with --credentials.' });
    }
    throw error;
  }
}
