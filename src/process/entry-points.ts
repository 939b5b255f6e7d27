import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath } from './package.ts';

/** The modules that a process or a thread begins with. bin/bundle.js makes each, with all that it imports, a few files. */
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

/** The bundled module, whether this one is bundled itself or not. */
export function entryUrl(name: (typeof ENTRY_POINTS)[number]): URL {
  return pathToFileURL(join(FOLDER, `${name}.js`));
}
