import { type Authority, restoreCredentials } from '../../src/sandbox/credentials.ts';
import { madeOnce } from './made-once.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start.ts';

/** The authority of every sandbox of the run. */
export async function sandboxAuthority(): Promise<Authority> {
  return (await restoreCredentials(await madeOnce('sandbox-keys', writeKeys), Date.now())).authority;
}

/** A sandbox with the keys and the authority of the run's first one: to make them takes most of a start. */
export async function aSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ restoreFrom: await madeOnce('sandbox-keys', writeKeys), ...options });
}

async function writeKeys(folder: string): Promise<void> {
  const sandbox = await startSandbox();
  await sandbox.writeCredentials(folder);
  await sandbox.close();
}
