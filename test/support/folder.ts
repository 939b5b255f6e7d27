import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.once('exit', () => {
  // A server may be ending in it.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A new folder of this test's own, gone when its process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pushctl-test-'));
  folders.push(folder);
  return folder;
}
