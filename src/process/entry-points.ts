import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath } from './package.ts';

/** Modules that begin a process or thread. bin/bundle.js bundles each with imports. */
export const ENTRY_POINTS = [
  'cli/main',
  'acme/child',
  'delivery/worker',
  'http/senders/large-body-worker',
  'http/senders/smtp/mail-worker',
  'store/transports/read-worker',
  'store/transports/thread',
] as const;

const FOLDER = packagePath('dist', 'program');

/** Returns the bundled module, also from unbundled code. */
export function entryUrl(name: (typeof ENTRY_POINTS)[number]): URL {
  return pathToFileURL(join(FOLDER, `${name}.js`));
}
