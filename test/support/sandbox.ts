import { temporaryFolder } from './folder.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start.ts';

/** Of this process. */
let keys: Promise<string> | null = null;

/** A sandbox with the keys and the authority of this file's first one: to make them takes most of a start. */
export async function aSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  if (keys !== null) return startSandbox({ restoreFrom: await keys, ...options });
  const started = startSandbox(options);
  keys = started.then(kept);
  return started;
}

async function kept(sandbox: Sandbox): Promise<string> {
  const folder = temporaryFolder();
  await sandbox.writeCredentials(folder);
  return folder;
}
