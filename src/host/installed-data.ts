import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGED_UNIT_FILES, UNIT_FILE } from './install.ts';

/** The data folder of the service that is installed on a machine, as its unit says; null: there is no service. */
export function serviceDataDir(root = '/'): string | null {
  for (const file of [UNIT_FILE, ...PACKAGED_UNIT_FILES]) {
    const [, name] = /^StateDirectory=([\w-]+)/m.exec(contentOf(join(root, file))) ?? [];
    if (name !== undefined) return join('/var/lib', name);
  }
  return null;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
