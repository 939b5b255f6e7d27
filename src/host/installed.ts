import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { UNIT_FOLDER } from './unit-files.ts';

export const UNIT = 'pushctl.service';
/** The units of `pushctl install` and of the Debian package. */
const UNIT_FILE = `${UNIT_FOLDER}/${UNIT}`;
const PACKAGED_UNIT_FILES = [`/lib/systemd/system/${UNIT}`, `/usr/lib/systemd/system/${UNIT}`];

/** Returns the data folder in the service's unit; null: no service. */
export function serviceDataDir(root = '/'): string | null {
  for (const file of [UNIT_FILE, ...PACKAGED_UNIT_FILES]) {
    const [, name] = /^StateDirectory=([\w-]+)/m.exec(contentOf(join(root, file)) ?? '') ?? [];
    if (name !== undefined) return join('/var/lib', name);
  }
  return null;
}

/** Returns the program of an installed unit; null: none, or not by `install`. */
export function installedLauncher(machine: Pick<Machine, 'path'>): string | null {
  const unit = contentOf(machine.path(UNIT_FILE)) ?? '';
  return /^ExecStart="(\/.*\/bin\/pushctl)" serve$/m.exec(unit)?.[1] ?? null;
}

export function packagedUnit(machine: Pick<Machine, 'path'>): string | undefined {
  return PACKAGED_UNIT_FILES.find((file) => existsSync(machine.path(file)));
}

/** Null: missing or unreadable. */
export function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
