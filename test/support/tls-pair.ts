import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';
import { temporaryFolder } from './folder.ts';

/** A certificate for 127.0.0.1 with its key in files, and what makes and puts another one there. */
export async function aPair() {
  const folder = temporaryFolder();
  const authority = await makeAuthority(Date.now());
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const make = () => makeServerCertificate(authority, Date.now());
  const put = (pair: { cert: string; key: string }): void => {
    writeFileSync(files.cert, pair.cert);
    writeFileSync(files.key, pair.key);
  };
  put(await make());
  return { ca: authority.certPem, files, make, put };
}
