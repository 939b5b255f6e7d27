import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restoreCredentials } from '../../src/sandbox/credentials.ts';
import { temporaryFolder } from './folder.ts';

/** Real keys, in files named as the vendors name them. */
export async function keyFiles(): Promise<{ readonly apnsKey: string; readonly account: string }> {
  const folder = temporaryFolder();
  const { apnsKey, serviceAccount } = await restoreCredentials(null, Date.now());
  const files = { apnsKey: join(folder, 'AuthKey_ABC123DEFG.p8'), account: join(folder, 'account.json') };
  writeFileSync(files.apnsKey, apnsKey.pem);
  writeFileSync(files.account, JSON.stringify(serviceAccount));
  return files;
}
